// SPDX-License-Identifier: Apache-2.0

/// Draws the summary of a run for a terminal.
public struct TerminalRenderer: Sendable {
    /// Creates a renderer.
    public init() {}

    /// The summary: the table of all cases, how to read it, the warnings.
    public func text(of report: Report) -> String {
        var table = TextTable(
            [
                "asset", "mode", "render", "allocator", "n", "peak MiB", "CV of peak", "anonymous", "k", "fetch ms",
                "CPU ms",
            ], words: 4)
        for summary in report.cases {
            let peak = summary.values(of: .peakResidentGrowth)
            let cell = summary.cell
            table.rows.append([
                SafeText.forTerminal(cell.asset), cell.mode, cell.render, cell.allocator.rawValue,
                Cell.count(summary), Cell.growth(peak?.median),
                Cell.percent(summary.values(of: .peakResident)?.coefficientOfVariation),
                Cell.growth(summary.median(of: .peakAnonymousGrowth)), Cell.ratio(summary.median(of: .copiesHeld)),
                Cell.milliseconds(summary.median(of: .duration(of: .fetch))),
                Cell.milliseconds(summary.median(of: .cpu(of: .fetch))),
            ])
        }
        let commands =
            report.run.plan.commands.isEmpty
            ? "" : "Commands are counted whole, from exec to exit: nothing is subtracted.\n"
        let legend =
            "Medians over the completed trials; growth in MiB over the mark that ends the warm-up.\n"
            + "CV is that of the whole size at the peak. CPU of stream and raw includes hashing on the way.\n"
            + commands
        let warnings = report.run.warnings.map { warning in
            let remedy = warning.remedy.map { " → \($0)" } ?? ""
            return "warning: \(SafeText.forTerminal(warning.text + remedy))\n"
        }
        let skipped = report.run.plan.inapplicable.map {
            "not applicable: \(SafeText.forTerminal($0.cell.identifier)) — \(SafeText.forTerminal($0.reason))\n"
        }
        return table.plain + "\n" + legend + (warnings + skipped).joined()
    }
}
