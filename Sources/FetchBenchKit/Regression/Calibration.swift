// SPDX-License-Identifier: Apache-2.0

/// What one machine shows when a build is compared with itself.
public struct Calibration: Codable, Hashable, Sendable {
    /// One case × metric.
    public struct Entry: Codable, Hashable, Sendable {
        /// The case.
        public var cell: String
        /// The metric.
        public var metric: String
        /// How many trials of the same build were measured, both sides together.
        public var trials: Int
        /// Their median, in the unit of the metric.
        public var median: Double
        /// Their coefficient of variation.
        public var variation: Double
        /// The relative change between two halves of the same trials that 99 of 100 stay below.
        public var noiseFloor: Double
        /// The smallest relative change that counts here.
        public var threshold: Double
        /// The smallest relative change that the first stage can see.
        public var smallestDetectableChange: Double
        /// How many of the resampled comparisons of the build with itself called it changed.
        public var falseAlarms: Int
        /// How many comparisons were resampled.
        public var resamples: Int
        /// What would make it better, or `nil` where nothing has to.
        public var advice: String?

        private enum CodingKeys: String, CodingKey {
            case metric, trials, median, variation, threshold, resamples, advice
            case cell = "case"
            case noiseFloor = "noise_floor"
            case smallestDetectableChange = "smallest_detectable_change"
            case falseAlarms = "false_alarms"
        }
    }

    /// The entries, in the order of the plan.
    public var entries: [Entry]

    /// The noise floor of each case that is above what counts anyway, to be written into a suite.
    public var noise: [String: Double] {
        entries.reduce(into: [:]) { noise, entry in
            guard entry.noiseFloor > entry.threshold else { return }
            noise[entry.cell] = max(noise[entry.cell] ?? 0, entry.noiseFloor)
        }
    }
}

/// Measures how well a machine repeats itself, by resampling trials of one build against each other.
public struct Calibrator: Sendable {
    private let rule: JudgementRule
    private let resamples: Int

    /// Creates a calibrator.
    /// - Parameter resamples: how many comparisons of the build with itself are drawn from the trials.
    public init(rule: JudgementRule = .interleaved, resamples: Int = 2000) {
        self.rule = rule
        self.resamples = resamples
    }

    /// The calibration that pairs of trials of one build give.
    public func calibration(of pairs: [Case: PairedTrials], order: [Case], seed: UInt64) -> Calibration {
        var generator = SeededGenerator(seed: seed)
        var entries: [Calibration.Entry] = []
        for cell in order {
            let trials = (pairs[cell]?.base ?? []) + (pairs[cell]?.head ?? [])
            for metric in Metric.judged {
                let values = trials.filter(\.isCompleted).compactMap(metric.value).filter { $0 > 0 }
                guard values.count >= 2 * TwoStageJudge.fewestTrials else { continue }
                entries.append(entry(cell, metric, values, &generator))
            }
        }
        return Calibration(entries: entries)
    }

    private func entry(
        _ cell: Case, _ metric: Metric, _ values: [Double], _ generator: inout SeededGenerator
    ) -> Calibration.Entry {
        let sorted = values.sorted()
        let median = sorted[sorted.count / 2]
        let variation = Distribution(values)?.coefficientOfVariation ?? 0
        let threshold = rule.threshold(baseMedian: median)
        let floor = noiseFloor(values, &generator)
        let detectable = SmallestDetectableChange.relative(cv: variation, n: rule.n1)
        return Calibration.Entry(
            cell: cell.identifier, metric: metric.name, trials: values.count, median: median, variation: variation,
            noiseFloor: floor, threshold: threshold, smallestDetectableChange: detectable,
            falseAlarms: falseAlarms(values, &generator), resamples: resamples,
            advice: advice(variation: variation, detectable: detectable, threshold: threshold))
    }

    /// The 99th percentile of the shifts between two sets drawn from the same values.
    private func noiseFloor(_ values: [Double], _ generator: inout SeededGenerator) -> Double {
        let shifts = (0..<resamples).map { _ in
            abs(HodgesLehmann.relativeShift(draw(rule.n1, values, &generator), draw(rule.n1, values, &generator)))
        }.sorted()
        return shifts.isEmpty ? 0 : shifts[min(shifts.count - 1, shifts.count * 99 / 100)]
    }

    private func falseAlarms(_ values: [Double], _ generator: inout SeededGenerator) -> Int {
        let judge = TwoStageJudge(rule: quick)
        return (0..<resamples).count { _ in
            let screening = try? judge.screen(
                base: draw(rule.n1, values, &generator), head: draw(rule.n1, values, &generator))
            guard case .needsConfirmation(let direction) = screening?.verdict else { return false }
            let confirmation = try? judge.confirm(
                direction, base: draw(rule.n2, values, &generator), head: draw(rule.n2, values, &generator),
                generator: &generator)
            return confirmation?.verdict == .regressed || confirmation?.verdict == .improved
        }
    }

    /// The interval decides nothing, so no time is spent on it.
    private var quick: JudgementRule {
        var quick = rule
        quick.resamples = 10
        return quick
    }

    private func draw(_ count: Int, _ values: [Double], _ generator: inout SeededGenerator) -> [Double] {
        (0..<count).map { _ in values[Int.random(in: values.indices, using: &generator)] }
    }

    private func advice(variation: Double, detectable: Double, threshold: Double) -> String? {
        guard detectable > threshold else { return nil }
        let needed = SmallestDetectableChange.trialsNeeded(cv: variation, change: threshold)
        return "changes of the size that counts need \(needed) trials a side; less load, a paced origin (--rate 60MiB) "
            + "or --allocator glibc-pinned make it quieter"
    }
}
