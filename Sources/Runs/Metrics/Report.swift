// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A run prepared for renderers, each of which is a function of this value.
package struct Report: Sendable {
    package let run: RunRecord
    package let cases: [CaseSummary]
    package var fetched: [CaseSummary] { cases.filter { !$0.cell.isPlain } }
    package let sweeps: [SizeSweep]
    package let metrics: MetricCatalog
    package let folder: RunFolder?
    /// The curves of the allocator's series, in the order of the plan; empty if none were recorded.
    package let allocatorCurves: [AllocatorCurve]
    /// True if the reader has seen each failure when it happened; a terminal then does not repeat them.
    package var failuresAreShown = false

    package init(_ run: RunRecord) { self.init(run, folder: nil, allocatorCurves: []) }

    /// Prepares a run with the series and explanations in its folder.
    package init(_ run: RunRecord, in folder: RunFolder) throws {
        self.init(run, folder: folder, allocatorCurves: try AllocatorCurve.all(in: folder))
    }

    private init(_ run: RunRecord, folder: RunFolder?, allocatorCurves: [AllocatorCurve]) {
        (self.run, self.folder, self.allocatorCurves) = (run, folder, allocatorCurves)
        metrics = run.metrics
        let byCase = run.trialsByCase
        cases = run.plan.cases.map { cell in
            CaseSummary(cell: cell, asset: run.plan.asset(of: cell), trials: byCase[cell] ?? TrialList([]))
        }
        sweeps = SizeSweep.all(in: run, trials: byCase)
    }

    /// The allocator of short tables: the C library's default if it was measured.
    package var leadingAllocator: AllocatorArm? {
        run.plan.allocators.first { $0 == .glibc } ?? run.plan.allocators.first
    }

    /// The asset of short tables: the first one, or the largest of a sweep.
    package var leadingAsset: Asset? {
        guard let largest = sweeps.first?.cases.last else { return run.plan.assets.first }
        return run.plan.asset(of: largest)
    }

    /// The conditions of short tables: the standard ones if they were measured.
    package var leadingConditions: FetchConditions {
        let measured = run.plan.cases.filter { $0.asset != Case.nullAsset }.map(\.conditions)
        return measured.contains(.standard) ? .standard : measured.first ?? .standard
    }

    /// Returns the case of short tables for a mode and a render model, or `nil` if it was not measured.
    package func leadingCase(_ mode: String, _ render: String, of asset: Asset? = nil) -> CaseSummary? {
        let name = (asset ?? leadingAsset)?.name
        return cases.first {
            $0.cell.mode == mode && $0.cell.render == render && $0.cell.allocator == leadingAllocator
                && ($0.cell.asset == Case.nullAsset
                    || $0.cell.asset == name && $0.cell.conditions == leadingConditions)
        }
    }
}

package struct CaseSummary: Sendable {
    package let cell: Case
    package let asset: Asset?
    package let trials: TrialList
    private let known = KnownValues()

    /// The values so far, because a page asks for the same ones several times.
    private final class KnownValues: Sendable {
        let byMetric = Mutex([String: Distribution?]())
    }

    package var completed: Int { trials.completedCount }

    package var host: String? { trials.first?.host }

    /// True if each run failed, and is included because failures are ignored.
    package var hasOnlyFailures: Bool { trials.allSatisfy { !$0.isCompleted || !$0.outcome.detail.isEmpty } }

    package var failed: Int { trials.count - completed }

    package func values(of metric: Metric) -> Distribution? {
        known.byMetric.withLock { known in
            if let values = known[metric.name] { return values }
            let values = metric.distribution(over: trials)
            known[metric.name] = .some(values)
            return values
        }
    }

    package var copies: Double? { median(of: .copiesHeld) }

    /// True if the body is decoded while it is fetched, so that memory and time of the fetch include that.
    package var decodesWhileFetching: Bool { trials.contains(where: \.decodesWhileFetching) }

    package var showsItself: Bool {
        trials.contains { $0.report?.picture?.fallbackCount != nil }
    }

    package func median(of metric: Metric) -> Double? { values(of: metric)?.median }
}

/// The text of figures in tables; a missing one is a dash, never zero.
package enum FigureText {
    package static let absent = "–"

    package static func growth(_ bytes: Double?) -> String {
        guard let bytes else { return absent }
        return (bytes < 0 ? "" : "+") + ByteText.fixed(bytes / 1_048_576, places: 2)
    }

    package static func size(_ bytes: Double?) -> String {
        bytes.map { ByteText.fixed($0 / 1_048_576, places: 2) } ?? absent
    }

    package static func range(_ values: Distribution?) -> String {
        guard let values else { return absent }
        return size(values.minimum) + " … " + size(values.maximum)
    }

    package static func percent(_ ratio: Double?) -> String {
        ratio.map { ByteText.fixed($0 * 100, places: 2) + " %" } ?? absent
    }

    package static func milliseconds(_ nanoseconds: Double?) -> String {
        nanoseconds.map { ByteText.fixed($0 / 1e6, places: 1) } ?? absent
    }

    package static func ratio(_ value: Double?) -> String {
        value.map { ByteText.fixed($0, places: 2) } ?? absent
    }

    package static func count(_ summary: CaseSummary) -> String {
        summary.failed == 0 ? "\(summary.completed)" : "\(summary.completed) (\(summary.failed) failed)"
    }
}

/// Returns the mark of a time that stops of tracing lengthen by more than a twentieth, or nothing.
///
/// Commands stand still for a moment whenever the tracer is told of one of their processes or threads.
private func upperBoundMark(tracing: Double?, of duration: Double?) -> String {
    guard let tracing, let duration, tracing > 0.05 * duration else { return "" }
    return "≤ "
}

extension CaseSummary {
    package var timeMark: String {
        upperBoundMark(tracing: median(of: .tracing), of: median(of: .duration(of: .fetch)))
    }
}

extension [CaseSummary] {
    /// The explanation of the mark behind a space, or nothing where no time has it.
    package var timeLegend: String {
        contains { !$0.timeMark.isEmpty }
            ? " ≤: stops of tracing are more than a twentieth of this time; without them it is shorter." : ""
    }
}

extension Trial {
    package var timeMark: String {
        upperBoundMark(tracing: Metric.tracing.value(self), of: Metric.duration(of: .fetch).value(self))
    }
}
