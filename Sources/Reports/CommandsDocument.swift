// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

struct CommandsDocument: Sendable {
    private static let nameLimit = (table: 60, sentence: 48)
    private static let mostProcesses = 6

    let report: CommandReport

    init(_ report: CommandReport) { self.report = report }

    var section: DocumentSection {
        let tables = [
            ("Medians of each command", peaks), ("Processes of commands that have more than one", processes),
            ("Against the reference", comparisons),
        ].map { DocumentTable($0, $1, subject: "command", counts: ["n", "processes", "threads", "count"]) }
        return DocumentSection(
            "commands", "Memory of commands", tables: tables, items: findings.map { .init($0.word, $0.text) },
            legend: legend, isUntitled: true)
    }

    /// The peaks in one sentence: the difference of two commands, or the lowest and the highest of several; `nil` if no
    /// command has a figure.
    var sentence: String? {
        let peaks = report.rows.filter { !$0.hasOnlyFailures }.compactMap { row in
            row.median(of: .peakResident).map { (row: row, size: $0) }
        }
        guard let least = peaks.min(by: { $0.size < $1.size }), let most = peaks.max(by: { $0.size < $1.size }) else {
            return nil
        }
        guard peaks.count > 1 else { return "\(name(most.row.cell.title)) peaks at \(size(most.size)) (\(runs))." }
        if report.comparisons.count == 1, let text = text(of: report.comparisons[0]) { return text }
        guard Set(peaks.map(\.row.host)).count == 1 else {
            return "The commands were measured on several hosts, and only those on one host are compared."
        }
        return
            "\(name(least.row.cell.title)) peaks lowest, at \(size(least.size)); \(name(most.row.cell.title)) highest, at "
            + "\(size(most.size)) (\(runs))."
    }

    /// Returns the difference of two commands, or `nil` if they could not be compared.
    private func text(of comparison: CommandComparison) -> String? {
        let (head, base) = (name(comparison.name), name(comparison.reference))
        let difference = comparison.difference.map { size(abs($0)) } ?? ""
        switch comparison.verdict {
        case .less: return "\(head) peaks \(difference) below \(base)\(share(of: comparison))."
        case .more: return "\(head) peaks \(difference) above \(base)\(share(of: comparison))."
        case .same: return "\(head) and \(base) peak alike: they differ by \(difference) (\(runs))."
        case .inconclusive: return "Inconclusive whether \(head) and \(base) differ: \(comparison.reason)."
        case .incomparable: return "\(head) and \(base) are not compared: they were \(comparison.reason)."
        case .missing: return nil
        }
    }

    private func share(of comparison: CommandComparison) -> String {
        let figure = comparison.figure == Metric.netPeak.name ? "its net peak" : "its peak"
        guard let difference = comparison.difference, let base = comparison.base, base > 0 else { return " (\(runs))" }
        return " (\(JudgementText.percent(difference / base)) of \(figure), \(runs))"
    }

    private var runs: String {
        let counts = Set(report.rows.map(\.completed))
        let text = [counts.min(), counts.count > 1 ? counts.max() : nil].compactMap { $0.map(String.init) }
        return "\(text.joined(separator: " to ")) run\(counts == [1] ? "" : "s")\(report.rows.count > 1 ? " each" : "")"
    }

    private var titles: [String] { report.rows.map(\.cell.title) }

    private func name(_ title: String) -> String { Prose.cut(title, to: Self.nameLimit.sentence, among: titles) }

    private func size(_ bytes: Double) -> String { FigureText.size(bytes) + " MiB" }
}

// MARK: - The tables

extension CommandsDocument {
    private var peaks: TextTable {
        var table = TextTable(
            [
                "command", "n", "peak MiB", "min … max", "net MiB", "time ms", "CPU ms", "processes", "threads",
            ], words: 1)
        table.rows = report.rows.map { row in
            [
                cell(row.cell.title), count(of: row), FigureText.size(row.values(of: .peakResident)?.median),
                FigureText.range(row.values(of: .peakResident)), FigureText.size(row.values(of: .netPeak)?.median),
                row.values(of: .duration(of: .fetch)).map { row.timeMark + $0.milliseconds } ?? FigureText.absent,
                FigureText.milliseconds(row.values(of: .cpu(of: .fetch))?.median),
                number(row.values(of: .processes)), number(row.values(of: .threads)),
            ]
        }
        return table
    }

    /// A row for each name of a process, for commands with several processes.
    private var processes: TextTable {
        var table = TextTable(["command", "process", "count", "peak MiB", "min … max"], words: 2)
        table.rows = report.rows.filter(\.hasSeveralProcesses).flatMap(rows(ofProcessesIn:))
        return table
    }

    private var comparisons: TextTable {
        var table = TextTable(
            [
                "command", "against \(cell(report.reference))", "difference MiB", "99 % interval", "p",
                "detectable",
            ],
            words: 2)
        // Without runs of the reference every row would say the same.
        guard report.comparisons.contains(where: \.isCompared) else { return table }
        table.rows = report.comparisons.map { comparison in
            let interval = comparison.interval.map {
                FigureText.growth($0.lowerBound) + " … " + FigureText.growth($0.upperBound)
            }
            return [
                cell(comparison.name), comparison.words, FigureText.growth(comparison.difference),
                interval ?? FigureText.absent, comparison.p.map(JudgementText.p) ?? FigureText.absent,
                FigureText.size(comparison.detectable),
            ]
        }
        return table
    }

    private func cell(_ name: String) -> String { Prose.cut(name, to: Self.nameLimit.table, among: titles) }

    private func count(of row: CaseSummary) -> String {
        row.failed == 0 ? "\(row.completed)" : "\(row.completed) (failed)"
    }

    private func number(_ values: Distribution?) -> String {
        guard let values else { return FigureText.absent }
        let ends = [values.minimum, values.maximum].map { ByteText.fixed($0, places: 0) }
        return ends[0] == ends[1] ? ends[0] : ends.joined(separator: " … ")
    }

    private func rows(ofProcessesIn row: CaseSummary) -> [[String]] {
        var found: [String: (counts: [Double], peaks: [Double])] = [:]
        let traces = row.trials.ofCompleted { $0.report?.command }
        for process in traces.flatMap(\.byName) {
            found[process.name, default: ([], [])].counts.append(Double(process.count))
            found[process.name]?.peaks.append(Double(process.largestPeak.rawValue))
        }
        let drawn = found.compactMap { entry -> (name: String, count: Distribution, peak: Distribution)? in
            guard let count = Distribution(entry.value.counts), let peak = Distribution(entry.value.peaks) else {
                return nil
            }
            return (entry.key, count, peak)
        }
        return drawn.sorted { ($1.peak.median, $0.name) < ($0.peak.median, $1.name) }.prefix(Self.mostProcesses).map {
            [
                cell(row.cell.title), $0.name, number($0.count), FigureText.size($0.peak.median),
                FigureText.range($0.peak),
            ]
        }
    }
}

extension CaseSummary {
    var hasSeveralProcesses: Bool { values(of: .processes).map { $0.maximum > 1 } == true }
}

extension Distribution {
    /// The median of nanoseconds with its deviation, in milliseconds.
    var milliseconds: String {
        [median, medianAbsoluteDeviation].map { ByteText.fixed($0 / 1e6, places: 1) }.joined(separator: " ± ")
    }
}

extension CommandComparison {
    var words: String {
        switch verdict {
        case .less: "holds less"
        case .more: "holds more"
        case .same: "no difference that counts"
        case .inconclusive: "inconclusive: \(reason)"
        case .missing, .incomparable: "not compared: \(reason)"
        }
    }
}

extension CommandsDocument {
    /// The meaning of the columns that are shown; ``ReadingGuides/ofCommands`` explains the rest.
    var legend: [String] {
        let hasNet = report.rows.contains { $0.values(of: .netPeak) != nil }
        let hasTrees = report.rows.contains(where: \.hasSeveralProcesses)
        let isCompared = report.comparisons.contains(where: \.isCompared)
        let isNet = report.comparisons.allSatisfy { $0.figure == Metric.netPeak.name }
        let peak =
            isPolled
            ? "the largest high-water mark read while a process ran (polled every millisecond)"
            : "the kernel's high-water mark when a process ends (−\(report.run.environment.peakErrorWords))"
        let lines: [String?] = [
            "Medians\(shortage), time ± median absolute deviation. Peak: \(peak).\(report.rows.timeLegend)",
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
    private var shortage: String {
        let planned = report.run.plan.trials
        let counts = report.rows.map(\.completed)
        guard let fewest = counts.min(), let most = counts.max(), fewest < planned else { return "" }
        return " of \(fewest == most ? "\(most)" : "\(fewest) to \(most)") of \(planned) planned runs"
    }

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
            let traces = row.trials.ofCompleted { $0.report?.command }
            guard row.hasSeveralProcesses, let least = row.values(of: .peakResident),
                let most = Distribution(traces.map { Double($0.peakAtMost.rawValue) })
            else { return nil }
            let lower = "\(row.cell.title): together at least \(ByteText.mebibytes(least.median))"
            // With polling there is no upper bound: peaks between samples and short processes are missed.
            guard traces.allSatisfy({ $0.method == .exitStops }) else { return lower + "." }
            let isOfGroup = traces.allSatisfy { $0.treeMaximum.isOfGroup == true }
            return lower + ", at most \(ByteText.mebibytes(most.median)) "
                + (isOfGroup ? "(by the charge of their control group)." : "(if they share nothing).")
        }
    }
}
