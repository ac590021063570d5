// SPDX-License-Identifier: Apache-2.0

import Runs
import Statistics
import Texts
import TrialKit

/// The tables of a report, for Markdown and the terminal.
struct ReportTables: Sendable {
    private let report: Report
    private let escape: @Sendable (String) -> String

    /// Takes a report and the escaping of the output format for text from outside.
    init(_ report: Report, escape: @escaping @Sendable (String) -> String = SafeText.forMarkdown) {
        self.report = report
        self.escape = escape
    }

    /// Tables of the modes without and with rendering: data and download unless the answer covers them, and the others.
    ///
    /// There are none for a scenario, whose own table comes first.
    var short: [TextTable] {
        guard report.leadingConditions.scenario == .none else { return [] }
        let named = report.downloadAnswer?.asset.name == report.leadingAsset?.name ? [] : DownloadAnswer.modes
        let others = report.run.plan.modes.filter { !(DownloadAnswer.modes + [Case.nullMode]).contains($0) }
        return [named, others].compactMap { modes in
            let labels = modes.map { DownloadAnswer.modes.contains($0) ? "\($0) task" : $0 }
            return short(
                zip(labels, modes).flatMap {
                    [
                        ($0, $1, Case.withoutRendering),
                        ("\($0) + rendering", $1, DownloadAnswer.withRendering),
                    ]
                })
        }
    }

    private func short(_ rows: [(label: String, mode: String, render: String)]) -> TextTable? {
        var table = TextTable(["", "peak growth, MiB", "of it anonymous, MiB", "copies held (k)"], words: 1)
        for row in rows {
            guard let summary = report.leadingCase(row.mode, row.render), summary.completed > 0 else { continue }
            table.rows.append([
                escape(row.label), FigureText.growth(summary.median(of: .peakResidentGrowth)),
                FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
                FigureText.ratio(summary.copies),
            ])
        }
        return table.rows.isEmpty ? nil : table
    }

    /// The slope of each sweep of sizes; `nil` if the run has none.
    var slopes: TextTable? {
        var table = TextTable(
            identityHeader.filter { $0 != "asset" } + ["assets", "verdict", "k", "95 % interval", "a, MiB", "n"],
            words: identityHeader.count + 1)
        for sweep in report.sweeps {
            let interval = sweep.line.slopeInterval
            table.rows.append(
                identity(of: sweep.common).dropFirst() + [
                    escape(sweep.cases.map(\.asset).joined(separator: ", ")), sweep.verdict.words,
                    ByteText.fixed(sweep.line.slope, places: 3),
                    ByteText.fixed(interval.lowerBound, places: 3) + " … "
                        + ByteText.fixed(interval.upperBound, places: 3),
                    FigureText.growth(sweep.line.intercept), "\(sweep.trials)",
                ])
        }
        return table.rows.isEmpty ? nil : table
    }

    var memory: TextTable {
        var table = TextTable(
            identityHeader + [
                "n", "peak growth", "min … max", "CV of the peak", "anonymous",
                "k", "whole peak", "of it program pages", "page cache", "retained", "after purge",
            ], words: identityHeader.count)
        for summary in report.fetched {
            let peak = summary.values(of: .peakResidentGrowth)
            table.rows.append(
                identity(of: summary.cell) + [
                    FigureText.count(summary), FigureText.growth(peak?.median), FigureText.range(peak),
                    FigureText.percent(summary.values(of: .peakResident)?.coefficientOfVariation),
                    FigureText.growth(summary.median(of: .peakAnonymousGrowth)),
                    FigureText.ratio(summary.copies),
                    FigureText.size(summary.median(of: .peakResident)),
                    FigureText.size(summary.median(of: .programPages)),
                    FigureText.size(summary.median(of: .pageCache)),
                    FigureText.growth(summary.median(of: .retainedResidentGrowth)),
                    FigureText.growth(summary.median(of: .purgedResidentGrowth)),
                ])
        }
        return table
    }

    var time: TextTable {
        var table = TextTable(
            identityHeader + [
                "fetch CPU", "fetch wall", "verify CPU", "render CPU", "render wall", "process wall",
            ], words: identityHeader.count)
        for summary in report.fetched {
            let figures: [Metric] = [
                .cpu(of: .fetch), .duration(of: .fetch), .verificationCPU, .cpu(of: .render), .duration(of: .render),
                .processDuration,
            ]
            var texts = figures.map { FigureText.milliseconds(summary.median(of: $0)) }
            texts[1] = summary.timeMark + texts[1]
            table.rows.append(identity(of: summary.cell) + texts)
        }
        return table
    }

    /// The allocator's statistics at the end of each phase of every case.
    var allocators: TextTable {
        let phases = Phase.measured
        var table = TextTable(
            identityHeader + phases.flatMap { ["\($0.rawValue): allocated", "resident"] },
            words: identityHeader.count)
        for summary in report.fetched {
            let figures = phases.flatMap { [Metric.allocated(at: $0), Metric.allocatorResident(at: $0)] }
            table.rows.append(identity(of: summary.cell) + figures.map { FigureText.size(summary.median(of: $0)) })
        }
        return table
    }

    /// The headings of the columns that identify a case; conditions only if a case has any.
    private var identityHeader: [String] {
        ["asset", "mode", "render", "allocator"] + (report.run.plan.hasConditions ? ["conditions"] : [])
    }

    private func identity(of cell: Case) -> [String] {
        ([cell.asset, cell.mode, cell.render, cell.allocator.rawValue]
            + (report.run.plan.hasConditions ? [cell.conditionsText] : [])).map(escape)
    }
}
