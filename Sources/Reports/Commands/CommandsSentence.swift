// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Statistics
import Texts

/// The peaks of commands in one sentence: the difference of two commands, or the lowest and the highest of several.
struct CommandsSentence: Sendable {
    private static let nameLimit = 48

    private let report: CommandReport
    private let escape: @Sendable (String) -> String

    init(_ report: CommandReport, escape: @escaping @Sendable (String) -> String) {
        self.report = report
        self.escape = escape
    }

    /// The sentence; `nil` if no command has a figure.
    var text: String? {
        let peaks = report.rows.compactMap { row in
            row.median(of: .peakResident).map { (row: row, size: $0) }
        }
        guard let least = peaks.min(by: { $0.size < $1.size }), let most = peaks.max(by: { $0.size < $1.size }) else {
            return nil
        }
        guard peaks.count > 1 else { return "\(name(most.row.cell.title)) peaks at \(size(most.size)) (\(runs))." }
        if report.comparisons.count == 1, let text = text(of: report.comparisons[0]) { return text }
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

    private func name(_ title: String) -> String { escape(Prose.cut(title, to: Self.nameLimit)) }

    private func size(_ bytes: Double) -> String { FigureText.size(bytes) + " MiB" }
}
