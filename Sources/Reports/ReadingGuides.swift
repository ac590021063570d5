// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

enum ReadingGuides {
    static let ofFetches: [DocumentSection.Item] = [
        .init(
            "peak growth",
            "the kernel's high-water mark of the resident size (VmHWM, reset at each mark) in fetch, hold and render, or an "
                + "exact reading above it, minus the resident size at the mark before them, after the warm-up."
        ),
        .init("CV of the peak", "of the process's whole resident size at its peak, standard deviation ÷ mean."),
        .init(
            "anonymous",
            "the part that is not backed by a file. File-backed pages are resident, too, but the kernel can drop them. There is "
                + "no high-water mark of this part: it is the largest sample, or more if the peak proves more."
        ),
        .init(
            "whole peak",
            "the process's resident size at its peak. Program pages are those of the program, its "
                + "libraries and the loader: they follow the page cache, so no check judges the whole peak."
        ),
        .init(
            "k",
            "copies of the file in memory at the peak of the fetch: the growth until rendering begins ÷ the bytes fetched (or sent, if those are more). It is "
                + "one number wherever it stands (budgets, copies_held_ratio). Fetches that decode, and bodies below 8 KiB, have none."
        ),
        .init(
            "retained, after purge",
            "resident memory left after everything was released, and after the allocator was asked to return everything."
        ),
        .init("page cache", "cached pages of the fetched file, which are in no process's peak."),
        .init(
            "command",
            "measured whole, from exec to exit, including its children. Its growth and k count from the peak of the same command "
                + "with a body of 1 KiB, which runs before each trial; where that fails, growth counts from nothing."
        ),
        .init("mode none", "does not fetch: it shows the baseline of the method itself."),
    ]
    static let ofCommands: [DocumentSection.Item] = [
        .init(
            "difference",
            "by Hodges and Lehmann, with its 99 % interval; two-sided p by the permutation test of Mann and Whitney, corrected "
                + "by Holm for all commands. Without program pages, which depend on what is in the page cache."
        ),
        .init(
            "detectable",
            "the smallest difference found in nine of ten cases with this many runs and this noise; – if they are too few."
        ),
        .init(
            "not included",
            "the page cache, unmapped files in /dev/shm, buffers of pipes and sockets, swapped-out memory. Standard output is "
                + "/dev/null."
        ),
    ]
}

extension Judgement {
    var readingGuide: [DocumentSection.Item] {
        [
            .init(
                "judged",
                "net peak growth (over the mark that ends the warm-up, without program pages), anonymous peak growth, and "
                    + "anonymous at the mark (the cost of start and warm-up); of commands the net and the anonymous peak. Program "
                    + "pages (of the program and its libraries) follow the page cache, not the program. Of a single fetch its "
                    + "processor time, too, unless that varies too much."
            ),
            .init(
                "change",
                "head minus base (Hodges–Lehmann), relative to the base's whole net peak, of processor time to how long the fetch "
                    + "took, with its 99 % bootstrap interval."
            ),
            .init(
                "p",
                "the permutation test of Mann and Whitney, which is valid for few and tied values, \(sides), corrected by Holm "
                    + "for everything compared\(kind.isOneLook ? "" : " where a second look decided").\(hosts)"
            ),
            .init("limit", "the smallest change that counts; for a budget, its limit."),
            .init(
                "detectable",
                "the smallest change found in nine of ten cases with this many trials and this noise. If it is larger than the "
                    + "limit, or if a change that reaches the limit may be chance, the verdict is inconclusive, not unchanged."
            ),
            .init("n", "trials per side, each in a fresh process; for a confirmed finding, only the confirming ones."),
            .init("false alarms", errorRates), .init("measured", "on \(machine), seed \(seed)."),
        ]
    }

    private var sides: String {
        kind.isOneLook ? "two-sided" : "one-sided, in the direction of the first look"
    }

    /// How several hosts are judged together; empty for a single one.
    private var hosts: String {
        guard findings.contains(where: { $0.overHosts != nil }) else { return "" }
        return
            " Values of different hosts are never ranked together: the test is van Elteren's, a tenth of whose error rate is for "
            + "the tests of each host, and the change the median of differences within hosts. From three hosts on, their mean has "
            + "an interval of Hartung and Knapp, for hosts like them."
    }

    /// The rate of false alarms, which depends on how the two sides were measured.
    private var errorRates: String {
        let rule = JudgementRule.interleaved
        switch kind {
        case .interleaved, .calibration:
            let rate = rule.cleanP * rule.regressedP
            let comparisons = findings.count { $0.budget == nil && $0.p != nil }
            // The second look is corrected for all comparisons.
            let all = min(rule.regressedP, rate * Double(comparisons))
            return
                "both sides alternate on one machine, and regressed takes two independent looks (p ≤ \(rule.cleanP), then p ≤ "
                + "\(rule.regressedP) on fresh trials) and a change of at least the limit. Where nothing changed that happens in at "
                + "most \(JudgementText.share(rate)) of comparisons: \(JudgementText.share(all)) for the \(comparisons) made here."
        case .sharded:
            return
                "both sides alternate on each machine. Chance alone calls something changed in at most "
                + "\(JudgementText.share(rule.singleLookP)) of such judgements, however much is looked at."
        case .check, .storedRuns:
            return
                "chance alone calls something changed in at most \(JudgementText.share(rule.singleLookP)) of such judgements, "
                + "however much is looked at. But the base was measured at another time, and whatever drifted since then falls on "
                + "one side alone. No error rate is claimed for that: a stored baseline is judged with the wider limit of "
                + "\(JudgementText.share(JudgementRule.storedBaseline.minimumEffect)). Budgets are arithmetic and need no base."
        }
    }

    private var machine: String {
        let machine = environment
        return
            "\(machine.processor ?? "an unknown processor") (\(machine.architecture), \(machine.processorCount) CPUs), Linux "
            + "\(machine.kernel), \(machine.libc), Swift \(machine.swift)"
    }
}
