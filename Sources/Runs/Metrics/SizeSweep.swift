// SPDX-License-Identifier: Apache-2.0

/// The cases of a run that differ only in the size of their asset, with a line through their peaks:
/// peak growth = a + slope · size.
///
/// The slope shows whether memory grows with the asset at all, the intercept a the cost of a fetch of any size. Without
/// rendering the slope is k over sizes; with it, it includes what is decoded.
package struct SizeSweep: Hashable, Sendable {
    package static let fewestSizes = 3
    /// The maximum distance of the slope and its interval from a whole number of copies.
    package static let tolerance = 0.1
    /// The additional copies of a slow consumer, interval against interval, from which data counts as piling up.
    static let pile = 0.25
    static let widestInterval = 0.5
    /// The number of points above which each case's median replaces its trials.
    private static let mostPoints = 2000

    package let cases: [Case]
    /// The requested sizes without repetition, smallest first.
    package let sizes: [ByteCount]
    package let trials: Int
    package let line: RobustRegression
    package let verdict: SlopeVerdict

    package var common: Case { cases[0] }

    package static func all(in run: RunRecord) -> [SizeSweep] {
        all(in: run, trials: run.trialsByCase)
    }

    package static func all(in run: RunRecord, trials: [Case: TrialList]) -> [SizeSweep] {
        let groups = Dictionary(grouping: run.plan.cases.filter { $0.asset != Case.nullAsset }) { cell in
            SweepKey(cell, in: run, host: trials[cell]?.first?.host)
        }
        let fits = groups.mapValues { SweepFit($0, trials: trials, mostPoints: mostPoints) }.compactMapValues(\.self)
        var seen: Set<SweepKey> = []
        return run.plan.cases.compactMap { cell in
            let key = SweepKey(cell, in: run, host: trials[cell]?.first?.host)
            guard let fit = fits[key], seen.insert(key).inserted else { return nil }
            let verdict = SlopeVerdict(
                fit.line, besides: fits[key.withoutDelay]?.line, isSlow: key.isSlow, isOfCopies: fit.isOfCopies)
            return SizeSweep(
                cases: fit.cases, sizes: fit.sizes, trials: fit.trials, line: fit.line, verdict: verdict)
        }
    }

    private struct SweepKey: Hashable {
        var cell: Case
        let mediaType: String?
        /// The host that measured it: values of several are never put together.
        let host: String?

        init(_ cell: Case, in run: RunRecord, host: String?) {
            (self.cell, self.host) = (cell, host)
            self.cell.asset = ""
            mediaType = run.plan.asset(of: cell)?.mediaType
        }

        var isSlow: Bool { cell.conditions.consumerDelayNanoseconds > 0 }

        var withoutDelay: SweepKey {
            var key = self
            key.cell.conditions = cell.conditions.withoutDelay
            return key
        }
    }

    /// The line through the trials of a sweep; fails with too few sizes.
    private struct SweepFit {
        let cases: [Case]
        let sizes: [ByteCount]
        let trials: Int
        let line: RobustRegression
        /// True if what grows is the file itself, and nothing that it was decoded to.
        let isOfCopies: Bool

        init?(_ cells: [Case], trials: [Case: TrialList], mostPoints: Int) {
            var measured: [(cell: Case, size: ByteCount, peaks: [Double])] = []
            for cell in cells {
                let own = trials[cell] ?? TrialList([])
                guard let size = own.first(where: \.isCompleted)?.requestedByteCount else { continue }
                let peaks = own.ofCompleted(Metric.peakResidentGrowth.value)
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
            isOfCopies = cases.allSatisfy { cell in
                cell.render == Case.withoutRendering && trials[cell]?.contains(where: \.decodesWhileFetching) != true
            }
            self.sizes = sizes
            self.trials = count
            self.line = line
        }
    }

    package enum SlopeVerdict: Hashable, Sendable {
        /// The peak is independent of the size of the asset.
        case constant
        case copies(Int)
        /// The slope is a fraction of copies.
        case share(Double)
        /// The peak, with what was decoded in it, grows by this factor of the size.
        case multiple(Double)
        /// The slope is steeper with a slow consumer: unconsumed data piles up.
        case unbounded
        case undecided

        /// Interprets a slope by its interval.
        /// - Parameters:
        ///   - fast: The line with a consumer that keeps up, or `nil` if that was not measured.
        ///   - isOfCopies: False if the slope includes what was decoded.
        init(_ line: RobustRegression, besides fast: RobustRegression?, isSlow: Bool, isOfCopies: Bool) {
            let interval = line.slopeInterval
            let nearest = max(0, line.slope.rounded())
            let isWhole =
                interval.lowerBound >= nearest - SizeSweep.tolerance
                && interval.upperBound <= nearest + SizeSweep.tolerance && nearest < 1_000_000
            if isSlow, let fast, interval.lowerBound > fast.slopeInterval.upperBound + SizeSweep.pile {
                self = .unbounded
            } else if interval.upperBound - interval.lowerBound > SizeSweep.widestInterval {
                self = .undecided
            } else if isWhole, nearest == 0 {
                self = .constant
            } else if !isOfCopies {
                self = .multiple(line.slope)
            } else {
                self = isWhole ? .copies(Int(nearest)) : .share(line.slope)
            }
        }

        package var words: String {
            switch self {
            case .constant: "constant"
            case .copies(1): "one copy"
            case .copies(2): "two copies"
            case .copies(let count): "\(count) copies"
            case .share(let copies): "\(ByteText.fixed(copies, places: 2)) copies"
            case .multiple(let factor): "\(ByteText.fixed(factor, places: 2)) × the size"
            case .unbounded: "grows without bound with a slow consumer"
            case .undecided: "undecided: the interval is too wide"
            }
        }
    }
}
