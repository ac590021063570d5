// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Texts
import TrialKit

/// The legend and findings for the tables of commands; names from outside are not escaped yet.
struct CommandsRemarks: Sendable {
    private let report: CommandReport

    init(_ report: CommandReport) {
        self.report = report
    }

    var legend: [String] {
        [meaning, net, together, comparison, start, Self.unseen].compactMap(\.self) + bounds
    }

    /// The legend for a terminal: only what its tables have, as `fetchbench help figures` explains the rest.
    var briefLegend: [String] {
        let hasNet = report.rows.contains { $0.values(of: .netPeak) != nil }
        let peak = isPolled ? Self.polled : "Peak: \(Self.mark) (−\(report.run.environment.peakErrorWords))"
        let isCompared = report.comparisons.contains { $0.verdict != .missing }
        let lines: [String?] = [
            "Medians, time ± median absolute deviation. \(peak).\(report.rows.timeLegend)",
            hasNet ? "net: without pages of the program and its libraries, a lower bound." : nil,
            together,
            isCompared
                ? "Compared is the \(isNet ? "net " : "")peak: Hodges–Lehmann, Mann–Whitney; detectable: in nine of ten such comparisons."
                : nil,
            report.rows.contains { shell(of: $0.cell) != nil } ? start : nil,
        ]
        return lines.compactMap(\.self) + bounds
    }

    /// Exceeded limits, failures and doubts, each with its leading word.
    var findings: [(word: String, text: String)] {
        report.excesses.map { ("over the limit", $0.text) } + report.failures.map { ("failed", $0) }
            + report.unanswered.map { ("no answer", $0) } + report.doubts.map { ("warning", $0) } + within
    }

    private var within: [(word: String, text: String)] {
        guard let limit = report.settings.limit, report.excesses.isEmpty, report.unanswered.isEmpty,
            let largest = report.rows.flatMap(\.trials).filter(\.isCompleted).map(\.limitedPeak).max()
        else { return [] }
        let text =
            "the largest run held \(ByteText.mebibytes(largest)) without program pages, of \(ByteText.mebibytes(limit))"
        return [("within the limit", text)]
    }

    private var meaning: String {
        let warmup = report.settings.warmup
        return "Medians of \(runs)" + (warmup > 0 ? " after \(warmup) warm-up runs" : "")
            + ". \(isPolled ? Self.polled : exact). Time ± median absolute deviation."
            + report.rows.timeLegend
    }

    private var isPolled: Bool {
        let traces = report.rows.flatMap(\.trials).compactMap { $0.report?.command }
        return !traces.isEmpty && traces.allSatisfy { $0.method == .polled }
    }

    private var exact: String {
        "Peak: \(Self.mark), low by at most \(report.run.environment.peakErrorWords)"
    }

    private static let mark = "the kernel's high-water mark when a process ends"

    private static let polled = "Peak: the largest high-water mark read while a process ran (polled every millisecond)"

    /// The number of runs behind the medians: fewer than planned after Ctrl-C or failures.
    private var runs: String {
        let planned = report.run.plan.trials
        let counts = report.rows.map(\.completed)
        guard let fewest = counts.min(), let most = counts.max(), fewest < planned else {
            return "\(planned) interleaved run\(planned == 1 ? "" : "s")"
        }
        return "\(fewest == most ? "\(most)" : "\(fewest) to \(most)") of \(planned) planned runs, interleaved"
    }

    private var net: String? {
        guard report.rows.contains(where: { $0.values(of: .netPeak) != nil }) else { return nil }
        return "Net: without program pages, a lower bound; a peak shorter than a millisecond may be higher."
    }

    private var hasTrees: Bool {
        report.rows.contains(where: \.hasSeveralProcesses)
    }

    private var together: String? {
        guard hasTrees else { return nil }
        return
            "Peak of several processes: a lower bound of their sum, sampled every millisecond; a page that they share counts "
            + "once."
    }

    private var comparison: String? {
        guard report.comparisons.contains(where: { $0.verdict != .missing }) else { return nil }
        return "Compared: the peak\(isNet ? " without program pages, which depend on what is in the page cache" : ""); "
            + "difference by Hodges and Lehmann, two-sided p by the permutation test of Mann and Whitney"
            + (report.comparisons.count > 1 ? ", corrected by Holm for all commands" : "")
            + "; detectable: the smallest difference found in nine of ten cases with this many runs and this noise, – if there "
            + "are too few."
    }

    private var isNet: Bool { report.comparisons.allSatisfy { $0.figure == Metric.netPeak.name } }

    private var start: String {
        let shells = report.rows.map { self.shell(of: $0.cell) }
        let kinds = Set(shells)
        let shell = kinds.compactMap(\.self).sorted().joined(separator: ", ")
        if kinds == [nil] { return "Started without a shell." }
        let which = zip(report.rows, shells).filter { $1 != nil }.map { $0.0.cell.title }.joined(separator: "; ")
        return "Started by \(shell)\(kinds.count > 1 ? ": \(which). The others without a shell" : ""). "
            + "A shell counts as a process, unless it execs its last command."
    }

    private func shell(of cell: Case) -> String? {
        guard let command = report.run.plan.command(of: cell) else { return nil }
        return (try? command.launch(with: cell.parameters))?.shell
    }

    private static let unseen =
        "Not included: the page cache, unmapped files in /dev/shm, buffers of pipes and sockets, swapped-out memory. Standard "
        + "output is /dev/null."

    /// The bounds of the peak of commands with several processes, whose peak is sampled.
    private var bounds: [String] {
        report.rows.compactMap { row in
            let traces = row.trials.filter(\.isCompleted).compactMap { $0.report?.command }
            guard row.hasSeveralProcesses, let least = row.values(of: .peakResident),
                let most = Distribution(traces.map { Double($0.peakAtMost.rawValue) })
            else { return nil }
            let lower = "\(row.cell.title): together at least \(ByteText.mebibytes(least.median))"
            // With polling there is no upper bound: peaks between samples and short processes are missed.
            guard traces.allSatisfy({ $0.method == .exitStops }) else { return lower + "." }
            return lower + ", at most \(ByteText.mebibytes(most.median)) (if they share nothing)."
        }
    }
}
