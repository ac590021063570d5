// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Measures the repeatability of a machine by resampling trials of one build.
package struct Calibrator: Sendable {
    private let rule: JudgementRule
    private let resamples: Int

    package init(rule: JudgementRule = .interleaved, resamples: Int = 2000) {
        (self.rule, self.resamples) = (rule, resamples)
    }

    package func calibration(of pairs: [Case: PairedTrials], order: [Case], seed: UInt64) -> Calibration {
        var generator = SeededGenerator(seed: seed)
        var entries: [Calibration.Entry] = []
        for cell in order {
            guard let trials = pairs[cell] else { continue }
            let values = CaseValues(cell, trials, judging: JudgedMetric.memory)
            for metric in values.metrics {
                guard let scale = values.scale(of: metric), scale > 0, let sides = values.values[metric.name],
                    min(sides.base.count, sides.head.count) >= TwoStageJudge.fewestTrials,
                    let sample = Sample(sides, scale: scale)
                else { continue }
                entries.append(entry(cell, metric, sample, &generator))
            }
        }
        return Calibration(entries: entries)
    }

    private struct Sample {
        let base: [Double]
        let head: [Double]
        let scale: Double
        let both: Distribution

        init?(_ sides: CaseValues.Values, scale: Double) {
            guard let both = Distribution(sides.base + sides.head) else { return nil }
            (base, head, self.scale, self.both) = (sides.base, sides.head, scale, both)
        }
    }

    private func entry(
        _ cell: Case, _ metric: Metric, _ sample: Sample, _ generator: inout SeededGenerator
    ) -> Calibration.Entry {
        let shift = MannWhitney.shift(sample.base, sample.head)
        let floor = max(standardError(sample.both.sorted, &generator), abs(shift))
        var measured = rule
        measured.noiseFloor = floor
        let threshold = measured.threshold(scale: sample.scale)
        let variation = (sample.both.standardDeviation ?? 0) / sample.scale
        let detectable = SmallestDetectableChange.relative(cv: variation, n: rule.n1)
        return Calibration.Entry(
            cell: cell.identifier, metric: metric.name, trials: sample.both.count, median: sample.both.median,
            scale: sample.scale, variation: variation, noiseFloor: floor, threshold: threshold * sample.scale,
            smallestDetectableChange: detectable * sample.scale, shift: shift,
            verdict: verdict(on: sample, &generator), falseAlarms: falseAlarms(sample, &generator),
            resamples: resamples,
            advice: Self.advice(
                for: cell, variation: variation, detectable: detectable, wanted: rule.threshold(scale: sample.scale)))
    }

    /// Returns the standard deviation of the shifts between two sets drawn from the same values.
    private func standardError(_ values: [Double], _ generator: inout SeededGenerator) -> Double {
        let shifts = (0..<resamples).map { _ in
            MannWhitney.shift(draw(rule.n1, values, &generator), draw(rule.n1, values, &generator))
        }
        return Distribution(shifts)?.standardDeviation ?? 0
    }

    /// Returns the verdict on the measured sides, which are the same build.
    private func verdict(on sample: Sample, _ generator: inout SeededGenerator) -> Finding.Verdict {
        let judge = TwoStageJudge(rule: quick)
        let confirmation = try? judge.confirm(
            nil, [Stratum(base: sample.base, head: sample.head)], scale: sample.scale, generator: &generator)
        switch confirmation?.verdict {
        case .regressed: return .regressed
        case .improved: return .improved
        case .unchanged: return .unchanged
        case .inconclusive, nil: return .inconclusive
        }
    }

    private func falseAlarms(_ sample: Sample, _ generator: inout SeededGenerator) -> Int {
        let judge = TwoStageJudge(rule: quick)
        let values = sample.both.sorted
        return (0..<resamples).count { _ in
            let screening = try? judge.screen(
                base: draw(rule.n1, values, &generator), head: draw(rule.n1, values, &generator), scale: sample.scale)
            guard case .needsConfirmation(let direction) = screening?.verdict else { return false }
            let confirmation = try? judge.confirm(
                direction,
                [Stratum(base: draw(rule.n2, values, &generator), head: draw(rule.n2, values, &generator))],
                scale: sample.scale, generator: &generator)
            return confirmation?.verdict == .regressed || confirmation?.verdict == .improved
        }
    }

    /// The rule with few resamples, as the interval decides nothing here.
    private var quick: JudgementRule {
        var quick = rule
        quick.resamples = 10
        return quick
    }

    private func draw(_ count: Int, _ values: [Double], _ generator: inout SeededGenerator) -> [Double] {
        (0..<count).map { _ in values[Int.random(in: values.indices, using: &generator)] }
    }

    /// Returns how to detect changes of the size that is significant on a quiet machine.
    package static func advice(
        for cell: Case, variation: Double, detectable: Double, wanted: Double
    ) -> String? {
        guard detectable > wanted else { return nil }
        let needed = SmallestDetectableChange.trialsNeeded(cv: variation, change: wanted)
        // A plain command fetches nothing from the origin.
        let origin = cell.isPlain ? "" : ", a paced origin (--rate 60MiB)"
        return "changes that count on a quiet machine need \(needed) trials a side here; less load\(origin) "
            + "or --allocator glibc-pinned reduces noise"
    }
}

/// The differences that one machine shows between a build and itself.
package struct Calibration: Codable, Hashable, Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        package var cell: String
        package var metric: String
        package var trials: Int
        package var median: Double
        /// The reference of relative figures: the median of the net peaks.
        package var scale: Double
        /// The standard deviation of the trials, relative to ``scale``.
        package var variation: Double
        /// The standard error between two sets of these trials or ``shift``, the larger; in the unit of the metric.
        package var noiseFloor: Double
        /// The smallest significant change on this machine: at least three noise floors, in the unit of the metric.
        package var threshold: Double
        /// The smallest change that the first stage detects, in the unit of the metric.
        package var smallestDetectableChange: Double
        /// The second side minus the first, in the unit of the metric.
        package var shift: Double
        package var verdict: Finding.Verdict
        /// The number of resampled comparisons of the build with itself that reported a change.
        package var falseAlarms: Int
        package var resamples: Int
        /// A way to reduce the noise, or `nil` if it is low enough.
        package var advice: String?

        private enum CodingKeys: String, CodingKey {
            case metric, trials, median, scale, variation, threshold, shift, verdict, resamples, advice
            case cell = "case"
            case noiseFloor = "noise_floor"
            case smallestDetectableChange = "smallest_detectable_change"
            case falseAlarms = "false_alarms"
        }
    }

    package var entries: [Entry]

    package var noise: NoiseFloors {
        entries.reduce(into: NoiseFloors()) { noise, entry in
            let unmoved = JudgementRule.interleaved.threshold(scale: entry.scale) * entry.scale
            if entry.threshold > unmoved { noise[entry.cell, entry.metric] = entry.noiseFloor }
        }
    }
}
