// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Statistics
import Texts

/// The guide to a judgement: its terms and its error rates.
struct ReadersGuide: Sendable {
    private let judgement: Judgement

    init(_ judgement: Judgement) {
        self.judgement = judgement
    }

    var text: String {
        """
        ### How to read this

        - Judged are **net peak growth** (over the mark that ends the warm-up, without program
          pages), **anonymous peak growth**, and **anonymous at the mark** (the cost of start and warm-up); of commands the net
          and the anonymous peak. Program pages (of the program and its libraries) follow the page cache, not the program.
        - **change**: head minus base (Hodges–Lehmann), relative to the base's whole net peak, with its 99 % bootstrap
          interval.
        - **p**: the permutation test of Mann and Whitney, which is valid for few and tied values, \(sides),
          corrected by Holm for everything compared. **limit**: the smallest change that counts; for a
          budget, its limit.
        - **detectable**: the smallest change found in nine of ten cases with this many trials and this noise. If it
          is larger than the limit, or if a change that reaches the limit may be chance, the verdict is *inconclusive*,
          not *unchanged*.
        - **n**: trials per side, each in a fresh process; for a confirmed finding, only the confirming ones.
        \(errorRates)
        - Measured on \(machine), seed \(judgement.seed), \(written(judgement.judgedAt)), by \(written(judgement.tool)).

        """
    }

    private var sides: String {
        judgement.kind == .storedRuns ? "two-sided" : "one-sided, in the direction of the first look"
    }

    /// The rate of false alarms, which depends on how the two sides were measured.
    private var errorRates: String {
        let rule = JudgementRule.interleaved
        switch judgement.kind {
        case .interleaved, .calibration:
            let rate = rule.cleanP * rule.regressedP
            let comparisons = judgement.findings.count { $0.budget == nil && $0.p != nil }
            // The second look is corrected for all comparisons.
            let all = min(rule.regressedP, rate * Double(comparisons))
            return """
                - **false alarms**: both sides alternate on one machine, and *regressed* takes two independent looks
                  (p ≤ \(rule.cleanP), then p ≤ \(rule.regressedP) on fresh trials) and a change of at least the limit. Where
                  nothing changed that happens in at most \(JudgementText.share(rate)) of comparisons: \
                \(JudgementText.share(all)) for the \(comparisons) made here.
                """
        case .check, .storedRuns:
            return """
                - **false alarms**: chance alone calls something changed in at most \(JudgementText.share(rule.singleLookP))
                  of such judgements, however much is looked at. But the base was measured at another time, and whatever
                  drifted since then falls on one side alone. No error rate is claimed for that: a stored baseline is judged
                  with the wider limit of \(JudgementText.share(JudgementRule.storedBaseline.minimumEffect)). Budgets are
                  arithmetic and need no base.
                """
        }
    }

    private var machine: String {
        let machine = judgement.environment
        return "\(written(machine.processor ?? "an unknown processor")) "
            + "(\(written(machine.architecture)), \(machine.processorCount) CPUs), Linux \(written(machine.kernel)), "
            + "\(written(machine.libc)), Swift \(written(machine.swift))"
    }

    private func written(_ text: String) -> String {
        SafeText.forMarkdown(JudgementText.safe(text))
    }
}
