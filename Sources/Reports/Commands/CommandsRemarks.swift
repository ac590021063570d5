// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Texts
import TrialKit

extension CommandsDocument {
    /// The meaning of the columns that are shown; ``ReadingGuides/ofCommands`` explains the rest.
    var legend: [String] {
        let hasNet = report.rows.contains { $0.values(of: .netPeak) != nil }
        let hasTrees = report.rows.contains(where: \.hasSeveralProcesses)
        let isCompared = report.comparisons.contains { $0.verdict != .missing }
        let isNet = report.comparisons.allSatisfy { $0.figure == Metric.netPeak.name }
        let peak =
            isPolled
            ? "the largest high-water mark read while a process ran (polled every millisecond)"
            : "the kernel's high-water mark when a process ends (−\(report.run.environment.peakErrorWords))"
        let lines: [String?] = [
            "Medians\(runs), time ± median absolute deviation. Peak: \(peak).\(report.rows.timeLegend)",
            hasNet ? "net: without pages of the program and its libraries, a lower bound." : nil,
            hasTrees
                ? "Peak of several processes: a lower bound of their sum, sampled every millisecond; a page that they share "
                    + "counts once." : nil,
            isCompared
                ? "Compared is the \(isNet ? "net " : "")peak: Hodges–Lehmann, Mann–Whitney; detectable: in nine of ten such comparisons."
                : nil, shells,
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

    private var isPolled: Bool {
        let traces = report.rows.flatMap(\.trials).compactMap { $0.report?.command }
        return !traces.isEmpty && traces.allSatisfy { $0.method == .polled }
    }

    /// The number of runs behind the medians if they are fewer than planned, as after Ctrl-C or failures.
    private var runs: String {
        let planned = report.run.plan.trials
        let counts = report.rows.map(\.completed)
        guard let fewest = counts.min(), let most = counts.max(), fewest < planned else { return "" }
        return " of \(fewest == most ? "\(most)" : "\(fewest) to \(most)") of \(planned) planned runs"
    }

    /// The shells that started commands; `nil` if none did.
    private var shells: String? {
        let shells = report.rows.map { self.shell(of: $0.cell) }
        let kinds = Set(shells)
        let shell = kinds.compactMap(\.self).sorted().joined(separator: ", ")
        if shell.isEmpty { return nil }
        let which = zip(report.rows, shells).filter { $1 != nil }.map { $0.0.cell.title }.joined(separator: "; ")
        return "Started by \(shell)\(kinds.count > 1 ? ": \(which). The others without a shell" : ""). "
            + "A shell counts as a process, unless it execs its last command."
    }

    private func shell(of cell: Case) -> String? {
        guard let command = report.run.plan.command(of: cell) else { return nil }
        return (try? command.launch(with: cell.parameters))?.shell
    }

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
