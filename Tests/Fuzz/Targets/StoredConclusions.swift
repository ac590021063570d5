// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import OperatingSystem
import Profiles
import Reports
import Runs
import Statistics

extension FuzzTarget {
    /// What commands keep beside runs: baselines, histories, judgements, explanations.
    static let storedConclusions = [
        FuzzTarget(name: "baseline", summary: "baseline.json") { bytes, draws in
            let baseline = try Baseline(parsing: Data(bytes), from: "baseline.json")
            let run = try FuzzContext.run.get()
            let comparison = BaselineComparison(
                baseline: baseline, run: run, allowsMismatch: true,
                judge: CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors()))
            let findings = comparison.findings(confirmedBy: nil)
            let again = try Baseline(parsing: Data(try baseline.text().utf8), from: "baseline.json")
            try promise(again == baseline, "a baseline is another one when it is read again")
            guard draws else { return }
            draw(
                Judgement(
                    tool: run.tool, kind: .storedRuns, baseName: "a", headName: "b", judgedAt: run.startedAt, seed: 1,
                    findings: findings, warnings: comparison.warnings, environment: run.environment))
            _ = try Baseline(of: run, after: baseline).text()
        },
        FuzzTarget(name: "history", summary: "history.jsonl") { bytes, _ in
            let path = FuzzContext.storage.path + "/history"
            try FuzzContext.store(bytes, at: path)
            let points = try History.points(at: path)
            _ = History.warnings(about: points)
            try FuzzContext.store([], at: path)
            for point in points { try History.append(point, to: path) }
            try promise(try History.points(at: path) == points, "a history is another one when it is read again")
        },
        FuzzTarget(name: "judgement", summary: "judgement.json, calibration.json") { bytes, draws in
            try FuzzContext.store(bytes, as: .judgement)
            try FuzzContext.store(bytes, as: .calibration)
            if let calibration = try? RunStore.calibration(in: FuzzContext.storage) {
                for format in Formats.ofCalibrations { _ = try? format.text(of: calibration) }
                return
            }
            let judgement = try RunStore.judgement(in: FuzzContext.storage)
            if draws { draw(judgement) }
        },
        FuzzTarget(name: "explanation", summary: "explain.json") { bytes, draws in
            try FuzzContext.store(try FuzzContext.runText.get(), as: .run)
            try FuzzContext.store(bytes, as: .explanation)
            for entry in try RunStore.explanation(in: FuzzContext.storage).entries {
                guard let profile = entry.profile else { continue }
                _ = HolderTable(profile).plain
                for format in ProfileFormats.all where draws {
                    _ = try format.bytes(of: profile)
                }
            }
            if draws { StoredRun.draw(try FuzzContext.run.get(), in: FuzzContext.storage) }
        },
    ]

    /// Draws a judgement in every format.
    private static func draw(_ judgement: Judgement) {
        for format in Formats.ofJudgements { _ = try? format.text(of: judgement) }
    }
}
