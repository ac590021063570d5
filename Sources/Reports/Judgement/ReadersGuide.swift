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

        - Judged is what the program does: **net peak growth** (over the mark that ends the warm-up, without program
          pages), **anonymous peak growth**, and **anonymous at the mark**, what start and warm-up cost; of commands the net
          and the anonymous peak. Program pages (of the program and its libraries) follow the page cache, not the program.
        - **change**: head less base (Hodges–Lehmann), relative to the base's whole net peak, with its 99 % bootstrap
          interval.
        - **p**: the permutation test of Mann and Whitney, which holds for few and for equal values, \(sides),
          corrected by Holm for everything that was looked at. **limit**: the smallest change that counts; of a budget,
          what it allows.
        - **detectable**: the smallest change that trials of this number and noise show in nine of ten cases. Where it
          is larger than the limit, or where a change reaches the limit and may be chance, the verdict is *inconclusive*,
          not *unchanged*.
        - **n**: trials on either side, each in a fresh process; for a confirmed finding, the fresh ones alone.
        \(errorRates)
        - Measured on \(machine), seed \(judgement.seed), \(written(judgement.judgedAt)), by \(written(judgement.tool)).

        """
    }

    private var sides: String {
        judgement.kind == .storedRuns ? "two-sided" : "one-sided, in the direction that the first look showed"
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
