// SPDX-License-Identifier: Apache-2.0

package import Runs

package struct CommandComparison: Hashable, Sendable {
    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        case less
        case more
        case same = "no_difference"
        /// There are too few runs for the noise.
        case inconclusive
        case missing
        case incomparable
    }

    package let name: String
    package let reference: String
    package var figure: String
    package var verdict: Verdict
    /// The reason if the figures do not show it; otherwise empty.
    package var reason = ""
    package var base: Double?
    package var head: Double?
    /// The case minus the reference (Hodges–Lehmann), in bytes.
    package var difference: Double?
    /// The 99 % bootstrap interval of the difference, in bytes.
    package var interval: ClosedRange<Double>?
    /// The two-sided p-value, corrected where several commands are compared.
    package var p: Double?
    package var threshold: Double?
    /// The smallest difference, in bytes, that these runs detect with a power of 90 %; `nil` if they are too few.
    package var detectable: Double?

    package var isCompared: Bool { verdict != .missing && verdict != .incomparable }

    init(_ name: String, against reference: String, _ figure: Metric, _ verdict: Verdict, reason: String = "") {
        (self.name, self.reference) = (name, reference)
        self.figure = figure.name
        (self.verdict, self.reason) = (verdict, reason)
    }
}

/// Compares commands in one stage: their differences are the expected result, not alarms to confirm.
package struct CommandJudge {
    let seed: UInt64

    /// Returns two commands for a two-sided comparison.
    package static func member(base: [Double], head: [Double]) -> JudgedFamily.Member {
        let scale = Distribution(base)?.median
        var rule = JudgementRule.interleaved
        if let scale, scale > 0 {
            rule.requiredDetection = max(0.02, 1_048_576 / scale, rule.threshold(scale: scale))
        }
        return JudgedFamily.Member([Stratum(base: base, head: head)], scale: scale, rule: rule)
    }

    func comparisons(of rows: [CaseSummary], against name: String) -> [CommandComparison] {
        guard let reference = rows.first(where: { $0.cell.title == name }) else { return [] }
        let pairs = rows.filter { $0.cell.title != name }.map { Pair(base: reference, head: $0) }
        // Corrected together, as one of many commands can differ by chance.
        let compared = pairs.filter { $0.obstacle == nil }
        let family = JudgedFamily(compared.map { Self.member(base: $0.baseValues, head: $0.headValues) })
        var answers = family.confirmations(seed: seed)[...]
        return pairs.map { pair in
            if let obstacle = pair.obstacle {
                return CommandComparison(
                    pair.head.cell.title, against: name, pair.figure, obstacle.verdict, reason: obstacle.reason)
            }
            return comparison(of: pair, answers.removeFirst())
        }
    }

    private func comparison(of pair: Pair, _ answer: Result<TwoStageJudge.Confirmation, StatisticsError>)
        -> CommandComparison
    {
        var comparison = CommandComparison(
            pair.head.cell.title, against: pair.base.cell.title, pair.figure, .inconclusive)
        comparison.base = pair.scale
        comparison.head = Distribution(pair.headValues)?.median
        switch answer {
        case .success(let found):
            comparison.note(found, scale: pair.scale ?? 0)
            if pair.figure.name == Metric.netPeak.name { comparison.doubt(rawShift: pair.rawShift) }
        case .failure(.noScale):
            comparison.reason = "the reference's median is 0, so the relative difference is undefined"
        case .failure(let error): comparison.reason = "\(error)"
        }
        return comparison
    }

    private struct Pair {
        let base: CaseSummary
        let head: CaseSummary
        /// The peak without program pages if every run has it, as the state of the page cache changes the full peak.
        let figure: Metric
        let baseValues: [Double]
        let headValues: [Double]

        init(base: CaseSummary, head: CaseSummary) {
            let isNet = [base, head].allSatisfy { $0.series(of: .netPeak).count == $0.completed }
            let figure = isNet ? Metric.netPeak : .peakResident
            (self.base, self.head, self.figure) = (base, head, figure)
            baseValues = base.series(of: figure)
            headValues = head.series(of: figure)
        }

        var obstacle: (verdict: CommandComparison.Verdict, reason: String)? {
            if baseValues.isEmpty || headValues.isEmpty { return (.missing, "one of them has no runs") }
            return base.host == head.host ? nil : (.incomparable, "measured on different hosts")
        }

        var scale: Double? { Distribution(baseValues)?.median }

        /// The difference of the peaks including program pages, in bytes.
        var rawShift: Double { MannWhitney.shift(base.series(of: .peakResident), head.series(of: .peakResident)) }
    }
}

extension CommandComparison {
    fileprivate mutating func note(_ found: TwoStageJudge.Confirmation, scale: Double) {
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
            reason = "too few runs to decide: about \(needed) of each are needed"
        }
    }

    /// Makes a difference of net peaks inconclusive if the peaks with program pages do not confirm it.
    ///
    /// Program pages are read at other moments than the peak, so the net peak is a lower bound: a short peak may have
    /// been higher.
    /// - Parameter rawShift: The peaks of the case minus those of the reference (Hodges–Lehmann), in bytes.
    fileprivate mutating func doubt(rawShift: Double) {
        guard verdict == .less || verdict == .more, let difference, let threshold else { return }
        guard (rawShift < 0) != (difference < 0) || abs(rawShift) < threshold else { return }
        verdict = .inconclusive
        reason = "seen only without program pages, which is a lower bound for a short peak"
    }
}

extension CaseSummary {
    fileprivate func series(of metric: Metric) -> [Double] {
        trials.filter(\.isCompleted).compactMap(metric.value)
    }
}
