// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Statistics
import Texts
import TrialKit

/// The tables of commands, the same in every text format.
struct CommandsTables: Sendable {
    /// The length to which names are cut, to keep tables readable.
    private static let nameLimit = 60
    /// The columns that are usually the same for all commands.
    static let counts: Set = ["n", "processes", "threads", "count"]
    /// The number of processes in the table of a command.
    private static let mostProcesses = 6

    private let report: CommandReport
    private let safe: @Sendable (String) -> String

    /// Takes a report and the escaping of the output format for names.
    init(_ report: CommandReport, safe: @escaping @Sendable (String) -> String) {
        self.report = report
        self.safe = safe
    }

    /// A row for each command.
    var peaks: TextTable {
        var table = TextTable(
            [
                "command", "n", "peak MiB", "min … max", "net MiB", "time ms", "CPU ms", "processes", "threads",
            ], words: 1)
        table.rows = report.rows.map { row in
            [
                name(row.cell.title), count(of: row), FigureText.size(row.values(of: .peakResident)?.median),
                FigureText.range(row.values(of: .peakResident)), FigureText.size(row.values(of: .netPeak)?.median),
                row.values(of: .duration(of: .fetch)).map { row.timeMark + $0.milliseconds } ?? FigureText.absent,
                FigureText.milliseconds(row.values(of: .cpu(of: .fetch))?.median),
                number(row.values(of: .processes)), number(row.values(of: .threads)),
            ]
        }
        return table
    }

    /// A row for each name of a process, for commands with several processes.
    var processes: TextTable {
        var table = TextTable(["command", "process", "count", "peak MiB", "min … max"], words: 2)
        table.rows = report.rows.filter(\.hasSeveralProcesses).flatMap(rows(ofProcessesIn:))
        return table
    }

    /// A row for each command except the reference.
    var comparisons: TextTable {
        var table = TextTable(
            [
                "command", "against \(name(report.reference))", "difference MiB", "99 % interval", "p",
                "detectable",
            ],
            words: 2)
        // Without runs of the reference every row would say the same.
        guard report.comparisons.contains(where: { $0.verdict != .missing }) else { return table }
        table.rows = report.comparisons.map { comparison in
            let interval = comparison.interval.map {
                FigureText.growth($0.lowerBound) + " … " + FigureText.growth($0.upperBound)
            }
            return [
                name(comparison.name), comparison.words, FigureText.growth(comparison.difference),
                interval ?? FigureText.absent, comparison.p.map(JudgementText.p) ?? FigureText.absent,
                FigureText.size(comparison.detectable),
            ]
        }
        return table
    }

    private func name(_ name: String) -> String {
        safe(Prose.cut(name, to: Self.nameLimit))
    }

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
        let traces = row.trials.filter(\.isCompleted).compactMap { $0.report?.command }
        for process in traces.flatMap({ ProcessGroup.all(in: $0) }) {
            found[process.name, default: ([], [])].counts.append(Double(process.count))
            found[process.name]?.peaks.append(Double(process.peak.rawValue))
        }
        let drawn = found.compactMap { entry -> (name: String, count: Distribution, peak: Distribution)? in
            guard let count = Distribution(entry.value.counts), let peak = Distribution(entry.value.peaks) else {
                return nil
            }
            return (entry.key, count, peak)
        }
        return drawn.sorted { ($1.peak.median, $0.name) < ($0.peak.median, $1.name) }.prefix(Self.mostProcesses).map {
            [
                name(row.cell.title), safe($0.name), number($0.count), FigureText.size($0.peak.median),
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
        case .missing: "not compared: \(reason)"
        }
    }
}
