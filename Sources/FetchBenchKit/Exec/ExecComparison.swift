// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Statistics

/// How much more or less one command holds than another.
package struct ExecComparison: Hashable, Sendable {
    /// The answer, in one word.
    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        /// It holds less.
        case less
        /// It holds more.
        case more
        /// Nothing that counts lies between them.
        case same = "no_difference"
        /// The runs are too few or too noisy to tell.
        case inconclusive
        /// One of them has no runs.
        case missing
    }

    /// The name of the case.
    package let name: String
    /// The name of the case that it is compared with.
    package let reference: String
    /// What is compared: the name of a figure.
    package var figure: String
    /// The answer.
    package var verdict: Verdict
    /// Why, where the figures do not say it; else empty.
    package var reason = ""
    /// The median of the reference, in bytes.
    package var base: Double?
    /// The median of the case, in bytes.
    package var head: Double?
    /// The case less the reference (Hodges–Lehmann), in bytes.
    package var difference: Double?
    /// The 99 % bootstrap interval of the difference, in bytes.
    package var interval: ClosedRange<Double>?
    /// The two-sided p-value, corrected where several commands are compared.
    package var p: Double?
    /// The smallest difference that counts, in bytes.
    package var threshold: Double?
    /// The smallest difference that so many runs of so much noise can be trusted to see, in bytes.
    package var detectable: Double?

    init(_ name: String, against reference: String, _ figure: ExecFigure, _ verdict: Verdict, reason: String = "") {
        self.name = name
        self.reference = reference
        self.figure = figure.name
        self.verdict = verdict
        self.reason = reason
    }
}

/// Compares commands by the runs that were made, all of them in one stage: differences are no alarm that has to be
/// confirmed, they are what was asked for.
struct ExecJudge {
    /// Of two sides nobody said which is the larger: 1 % on both sides together.
    private static let rule: JudgementRule = {
        var rule = JudgementRule.interleaved
        rule.regressedP = 0.01
        return rule
    }()

    let seed: UInt64

    /// Each of the rows against the one that is the reference; `nil` where there is nothing to compare.
    func comparisons(of rows: [ExecRow], against name: String) -> [ExecComparison] {
        guard let reference = rows.first(where: { $0.cell.name == name }) else { return [] }
        let pairs = rows.filter { $0.cell.name != name }.map { Pair(base: reference, head: $0) }
        // Corrected together: one of many commands would seem to differ by chance.
        let open = pairs.filter(\.canBeCompared)
        let adjusted = HolmCorrection.adjusted(open.map(\.p))
        var p = zip(open, adjusted).reduce(into: [String: Double]()) { $0[$1.0.head.cell.name] = $1.1 }
        var generator = SeededGenerator(seed: seed)
        return pairs.map { pair in
            guard let own = p.removeValue(forKey: pair.head.cell.name) else {
                return ExecComparison(
                    pair.head.cell.name, against: name, pair.figure, .missing, reason: "one of them has no runs")
            }
            return compared(pair, p: own, &generator)
        }
    }

    private func compared(_ pair: Pair, p: Double, _ generator: inout SeededGenerator) -> ExecComparison {
        var comparison = ExecComparison(
            pair.head.cell.name, against: pair.base.cell.name, pair.figure, .inconclusive)
        let base = Distribution(pair.baseValues)?.median
        comparison.base = base
        comparison.head = Distribution(pair.headValues)?.median
        guard let scale = base, scale > 0 else {
            comparison.reason = "the reference holds nothing that can be told"
            return comparison
        }
        var rule = Self.rule
        rule.requiredDetection = max(0.02, 1_048_576 / scale, rule.threshold(scale: scale))
        do throws(StatisticsError) {
            let found = try TwoStageJudge(rule: rule).confirm(
                pair.direction, base: pair.baseValues, head: pair.headValues, adjustedP: p, generator: &generator)
            comparison.note(found, scale: scale)
            if pair.figure.name == ExecFigure.netPeak.name { comparison.doubt(rawShift: pair.rawShift) }
        } catch {
            comparison.reason = "\(error)"
        }
        return comparison
    }
}

extension ExecComparison {
    /// Takes over what the arithmetic says, in bytes.
    fileprivate mutating func note(_ found: Confirmation, scale: Double) {
        difference = found.effect * scale
        interval = found.interval.lowerBound * scale...found.interval.upperBound * scale
        p = found.p
        threshold = found.threshold * scale
        detectable = found.smallestDetectableChange.map { $0 * scale }
        switch found.verdict {
        case .regressed: verdict = .more
        case .improved: verdict = .less
        case .unchanged: verdict = .same
        case .inconclusive(let needed):
            verdict = .inconclusive
            reason = "too few runs or too noisy; about \(needed) of each would do"
        }
    }
}

extension ExecComparison {
    /// Takes back a difference of the net peaks that the peaks themselves do not bear out.
    ///
    /// Program pages are read at other moments than the peak: what is left without them was held for certain, and a peak
    /// that was short may have been higher.
    /// - Parameter rawShift: the peaks of the case less those of the reference (Hodges–Lehmann), in bytes.
    fileprivate mutating func doubt(rawShift: Double) {
        guard verdict == .less || verdict == .more, let difference, let threshold else { return }
        guard (rawShift < 0) != (difference < 0) || abs(rawShift) < threshold else { return }
        verdict = .inconclusive
        reason = "seen without program pages only, which is a lower bound for a short peak"
    }
}

/// Two commands with the values that are compared.
private struct Pair {
    let base: ExecRow
    let head: ExecRow
    /// The peak without program pages, where every run has it: what lies in the page cache makes no difference.
    let figure: ExecFigure
    let baseValues: [Double]
    let headValues: [Double]

    init(base: ExecRow, head: ExecRow) {
        let isNet = [base, head].allSatisfy { $0.series(of: .netPeak).count == $0.trials.count }
        let figure = isNet ? ExecFigure.netPeak : .peak
        self.base = base
        self.head = head
        self.figure = figure
        baseValues = base.series(of: figure)
        headValues = head.series(of: figure)
    }

    var canBeCompared: Bool { !baseValues.isEmpty && !headValues.isEmpty }

    var p: Double { MannWhitney.test(baseValues, headValues, alternative: .twoSided).p }

    /// By how much the peaks differ with program pages, in bytes.
    var rawShift: Double { HodgesLehmann.shift(base.series(of: .peak), head.series(of: .peak)) }

    var direction: ChangeDirection { HodgesLehmann.shift(baseValues, headValues) < 0 ? .better : .worse }
}
