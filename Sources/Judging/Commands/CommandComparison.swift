// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
package import Statistics

/// How much more or less one command holds than another.
package struct CommandComparison: Hashable, Sendable {
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
    /// The smallest difference that so many runs of so much noise show in nine of ten cases, in bytes; `nil` where they
    /// are too few to show any.
    package var detectable: Double?

    init(_ name: String, against reference: String, _ figure: Metric, _ verdict: Verdict, reason: String = "") {
        self.name = name
        self.reference = reference
        self.figure = figure.name
        self.verdict = verdict
        self.reason = reason
    }
}

/// Compares commands by the runs that were made, all of them in one stage: differences are no alarm that has to be
/// confirmed, they are what was asked for.
package struct CommandJudge {
    let seed: UInt64

    /// Two commands as they are looked at: in both directions, as nobody said which holds more.
    package static func member(base: [Double], head: [Double]) -> JudgedFamily.Member {
        let scale = Distribution(base)?.median
        var rule = JudgementRule.interleaved
        if let scale, scale > 0 {
            rule.requiredDetection = max(0.02, 1_048_576 / scale, rule.threshold(scale: scale))
        }
        return JudgedFamily.Member(base: base, head: head, scale: scale, rule: rule)
    }

    /// Each of the rows against the one that is the reference; `nil` where there is nothing to compare.
    func comparisons(of rows: [CaseSummary], against name: String) -> [CommandComparison] {
        guard let reference = rows.first(where: { $0.cell.title == name }) else { return [] }
        let pairs = rows.filter { $0.cell.title != name }.map { Pair(base: reference, head: $0) }
        // Corrected together: one of many commands would seem to differ by chance.
        let compared = pairs.filter(\.canBeCompared)
        let family = JudgedFamily(compared.map { Self.member(base: $0.baseValues, head: $0.headValues) })
        var answers = family.confirmations(seed: seed)[...]
        return pairs.map { pair in
            guard pair.canBeCompared else {
                return CommandComparison(
                    pair.head.cell.title, against: name, pair.figure, .missing, reason: "one of them has no runs")
            }
            return comparison(of: pair, answers.removeFirst())
        }
    }

    private func comparison(of pair: Pair, _ answer: Result<Confirmation, StatisticsError>) -> CommandComparison {
        var comparison = CommandComparison(
            pair.head.cell.title, against: pair.base.cell.title, pair.figure, .inconclusive)
        comparison.base = pair.scale
        comparison.head = Distribution(pair.headValues)?.median
        switch answer {
        case .success(let found):
            comparison.note(found, scale: pair.scale ?? 0)
            if pair.figure.name == Metric.netPeak.name { comparison.doubt(rawShift: pair.rawShift) }
        case .failure(.noScale):
            comparison.reason = "the reference's median is 0, so that no relative difference exists"
        case .failure(let error): comparison.reason = "\(error)"
        }
        return comparison
    }
}

extension CommandComparison {
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
            reason = "too few runs to decide; about \(needed) of each are needed"
        }
    }
}

extension CommandComparison {
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
    let base: CaseSummary
    let head: CaseSummary
    /// The peak without program pages, where every run has it: what lies in the page cache makes no difference.
    let figure: Metric
    let baseValues: [Double]
    let headValues: [Double]

    init(base: CaseSummary, head: CaseSummary) {
        let isNet = [base, head].allSatisfy { $0.series(of: .netPeak).count == $0.completed }
        let figure = isNet ? Metric.netPeak : .peakResident
        self.base = base
        self.head = head
        self.figure = figure
        baseValues = base.series(of: figure)
        headValues = head.series(of: figure)
    }

    var canBeCompared: Bool { !baseValues.isEmpty && !headValues.isEmpty }

    /// The median of the reference, or `nil` where it has no runs.
    var scale: Double? { Distribution(baseValues)?.median }

    /// By how much the peaks differ with program pages, in bytes.
    var rawShift: Double { HodgesLehmann.shift(base.series(of: .peakResident), head.series(of: .peakResident)) }
}

extension CaseSummary {
    /// The values of a figure in the order in which they were measured.
    fileprivate func series(of metric: Metric) -> [Double] {
        trials.filter(\.isCompleted).compactMap(metric.value)
    }
}
