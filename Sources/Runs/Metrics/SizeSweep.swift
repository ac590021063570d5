// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Statistics
import TrialKit

/// The cases of a run that differ in nothing but the size of their asset, and the line through their peaks:
/// peak growth = a + k · size.
///
/// The slope k says what a single size cannot: whether memory grows with the asset at all. What a fetch costs at any
/// size is in the intercept a.
package struct SizeSweep: Hashable, Sendable {
    /// With fewer sizes than this a line proves nothing.
    package static let fewestSizes = 3
    /// How far the slope and its interval may be from a whole number of copies to be called one.
    package static let tolerance = 0.1
    /// How many copies more a slow consumer has to cost, interval against interval, before anything is said to pile up.
    static let pile = 0.25
    /// With a wider interval nothing is said.
    static let widestInterval = 0.5
    /// With more points than this, each case's median stands for its trials.
    private static let mostPoints = 2000

    /// The cases, by size.
    package let cases: [Case]
    /// The sizes of what was fetched, without repetition, smallest first.
    package let sizes: [ByteCount]
    /// How many trials the line was fitted to.
    package let trials: Int
    /// The line, in bytes: its slope is k.
    package let line: RobustRegression
    /// What the slope means.
    package let verdict: SlopeVerdict

    /// What the cases have in common.
    package var common: Case { cases[0] }

    /// The sweeps of a run, in the order of its cases.
    package static func all(in run: RunRecord) -> [SizeSweep] {
        all(in: run, trials: run.trialsByCase)
    }

    /// The same for whoever has the trials by case already.
    package static func all(in run: RunRecord, trials: [Case: TrialList]) -> [SizeSweep] {
        let groups = Dictionary(grouping: run.plan.cases.filter { $0.asset != Case.nullAsset }) { cell in
            SweepKey(cell, mediaType: run.plan.asset(of: cell)?.mediaType)
        }
        let fits = groups.mapValues { SweepFit($0, trials: trials, mostPoints: mostPoints) }.compactMapValues(\.self)
        var seen: Set<SweepKey> = []
        return run.plan.cases.compactMap { cell in
            let key = SweepKey(cell, mediaType: run.plan.asset(of: cell)?.mediaType)
            guard let fit = fits[key], seen.insert(key).inserted else { return nil }
            let verdict = SlopeVerdict(fit.line, besides: fits[key.withoutDelay]?.line, isSlow: key.isSlow)
            return SizeSweep(
                cases: fit.cases, sizes: fit.sizes, trials: fit.trials, line: fit.line, verdict: verdict)
        }
    }
}

/// What the cases of a sweep have in common.
private struct SweepKey: Hashable {
    var cell: Case
    let mediaType: String?

    init(_ cell: Case, mediaType: String?) {
        self.cell = cell
        self.cell.asset = ""
        self.mediaType = mediaType
    }

    /// Whether the consumer was slow.
    var isSlow: Bool { cell.conditions.consumerDelayNanoseconds > 0 }

    /// The same with a consumer that keeps up.
    var withoutDelay: SweepKey {
        var key = self
        key.cell.conditions = cell.conditions.withoutDelay
        return key
    }
}

/// The line through the trials of a sweep; none where there are too few sizes.
private struct SweepFit {
    let cases: [Case]
    let sizes: [ByteCount]
    let trials: Int
    let line: RobustRegression

    init?(_ cells: [Case], trials: [Case: TrialList], mostPoints: Int) {
        var measured: [(cell: Case, size: ByteCount, peaks: [Double])] = []
        for cell in cells {
            let own = (trials[cell] ?? TrialList([])).lazy.filter(\.isCompleted)
            guard let size = own.first?.requestedByteCount else { continue }
            let peaks = Array(own.compactMap { Metric.peakResidentGrowth.value($0) })
            if !peaks.isEmpty { measured.append((cell, size, peaks)) }
        }
        measured.sort { $0.size < $1.size }
        let sizes = Set(measured.map(\.size)).sorted()
        guard sizes.count >= SizeSweep.fewestSizes else { return nil }
        let count = measured.reduce(0) { $0 + $1.peaks.count }
        if count > mostPoints {
            measured = measured.map { ($0.cell, $0.size, [OrderStatistics.median($0.peaks)]) }
        }
        let points = measured.flatMap { entry in entry.peaks.map { (Double(entry.size.rawValue), $0) } }
        guard let line = try? RobustRegression(x: points.map(\.0), y: points.map(\.1)) else { return nil }
        cases = measured.map(\.cell)
        self.sizes = sizes
        self.trials = count
        self.line = line
    }
}
