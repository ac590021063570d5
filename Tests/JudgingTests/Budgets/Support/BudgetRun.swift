// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Runs
import Scenarios

/// A small run whose every figure is chosen.
enum BudgetRun {
    static let size = 10_000_000
    static let download = cell("download")
    static let data = cell("data")

    static func cell(_ mode: String, asset: String = "hero", allocator: AllocatorArm = .glibc) -> Case {
        Case(asset: asset, mode: mode, render: "none", allocator: allocator)
    }

    static func record(_ trials: [BudgetTrial], cases: [Case]? = nil, size: Int? = size) throws -> RunRecord {
        let asset = Asset(name: "hero", location: "/hero.jpg", isEmbedded: true, byteCount: size.map { ByteCount($0) })
        var plan = Plan(
            of: [], renderedBy: [], assets: [asset], allocators: [.glibc], trials: 3, seed: 1, settings: TrialSettings()
        )
        plan.cases = [.null(on: .glibc)]
        for cell in cases ?? trials.map(\.cell) where !plan.cases.contains(cell) {
            plan.cases.append(cell)
        }
        var run = RunRecord(
            identifier: "20260102T030405Z-local", tool: "fetchbench", startedAt: "2026-01-02T03:04:05Z", reproduce: "",
            suite: nil, plan: plan,
            environment: EnvironmentProbe.environment(
                temporaryDirectory: "/", commit: nil, hasUncommittedChanges: nil, label: nil))
        run.trials = try trials.map { try $0.trial() }
        return run
    }

    static func record(peaks: [Int], size: Int? = size) throws -> RunRecord {
        try record(peaks.enumerated().map { BudgetTrial(number: $0 + 1, peak: $1, size: size) }, size: size)
    }

    static func finding(_ text: String, in run: RunRecord) throws -> BudgetFinding {
        let findings = BudgetJudge.findings(for: [try Budget(parsing: text)], in: run)
        guard let finding = findings.first, findings.count == 1 else { throw NotOne(count: findings.count) }
        return finding
    }

    private struct NotOne: Error {
        let count: Int
    }
}

struct BudgetTrial {
    var number = 1
    var cell = BudgetRun.download
    var outcome = Outcome.completed
    /// The growth of the resident peak, in bytes, or `nil` where the process never answered.
    var peak: Int? = 4_000_000
    var size: Int? = BudgetRun.size
    var retained: Int?
    var pageCache: Int?
    var durationNanoseconds = 200_000_000
    var cpuNanoseconds = 50_000_000

    func trial() throws -> Trial {
        var fields: [String: Any] = [
            "trial": number, "seed": 1, "outcome": ["kind": outcome.kind.rawValue, "detail": outcome.detail],
            "case": [
                "asset": cell.asset, "mode": cell.mode, "render": cell.render, "allocator": cell.allocator.rawValue,
            ],
            "anonymous_peaks": [Any](), "samples_degraded": false, "process_duration_ns": 1, "doubts": [Any](),
        ]
        fields["asset_bytes"] = size
        var trial = try JSONDecoder().decode(Trial.self, from: JSONSerialization.data(withJSONObject: fields))
        trial.report = try peak.map { try report(peak: $0) }
        return trial
    }

    private func report(peak: Int) throws -> TrialReport {
        var report = TrialReport(
            version: 1, allocator: AllocatorIdentity(name: "glibc"), exactness: "exact", hugePagesDisabled: true)
        report.baseline = mark(growth: 0)
        report.phases = [
            PhaseReading(
                phase: .fetch, startNanoseconds: 0, endNanoseconds: durationNanoseconds,
                cpuNanoseconds: cpuNanoseconds, startShared: .zero,
                peak: PeakReading(resident: baseline + ByteCount(peak), source: .highWaterMark, errorBound: .zero),
                end: mark(growth: 0))
        ]
        report.settled = retained.map { mark(growth: $0) }
        if let pageCache {
            let body = ["bytes": size ?? 0, "verification_cpu_ns": 1, "page_cache_bytes": pageCache]
            report.body = try JSONDecoder().decode(
                BodyReading.self, from: JSONSerialization.data(withJSONObject: body))
        }
        return report
    }

    private var baseline: ByteCount { .mebibytes(20) }

    private func mark(growth: Int) -> Mark {
        Mark(
            memory: Snapshot(
                timeNanoseconds: 0, resident: baseline + ByteCount(growth), anonymous: .zero, threads: 1,
                cpuNanoseconds: 0),
            allocator: nil)
    }
}

func complaint(about text: String) -> FetchBenchError? {
    guard case .failure(let error) = Result(catching: { try Budget(parsing: text) }) else { return nil }
    return error as? FetchBenchError
}

/// The scenarios that this project's trial programs declare.
enum OurFigures {
    static let scenarios = CommonScenarios.all(with: ScenarioCatalog.all).map(ScenarioDeclaration.init)
    static let metrics = MetricCatalog(scenarios)

    static func scenario(_ name: String) -> ScenarioDeclaration? { scenarios.first { $0.name == name } }
}

extension Budget {
    /// Reads a budget of what our programs measure.
    init(parsing text: String) throws {
        try self.init(parsing: text, of: OurFigures.metrics)
    }
}
