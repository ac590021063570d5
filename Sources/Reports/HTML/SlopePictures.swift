// SPDX-License-Identifier: Apache-2.0

import Charts
import MemProbe
import Runs
import Statistics
import Texts

/// Charts of peak growth against the size of the asset, with the fitted lines.
struct SlopePictures: Sendable {
    private let report: Report

    init(_ report: Report) {
        self.report = report
    }

    /// A picture for each render model, allocator and conditions, and more if there are too many lines.
    var pictures: [Picture] {
        let groups = report.sweeps.grouped { sweep in
            [sweep.common.render, sweep.common.allocator.rawValue, sweep.common.conditionsText]
        }
        return groups.flatMap { $0.elements.chunks(ofCount: ChartStyle.seriesCount) }.map(picture)
    }

    var section: HTMLSection {
        var section = HTMLSection("slopes", "Memory by size")
        guard let table = ReportTables(report, escape: SafeText.forTerminal).slopes else {
            section.paragraphs = [
                "No slopes: they need completed trials of \(SizeSweep.fewestSizes) sizes of one kind of asset."
            ]
            return section
        }
        section.paragraphs = [
            "Each mark is a trial; the line is peak growth = a + k · size (Theil–Sen), where k is the number of copies of the "
                + "asset in memory."
        ]
        section.figures = pictures.map { HTMLFigure(picture: $0) }
        section.tables = [HTMLTable(caption: "The lines, with the 95 % interval of k", table: table)]
        return section
    }

    private func picture(of sweeps: [SizeSweep]) -> Picture {
        let mebibyte = 1_048_576.0
        let common = sweeps[0].common
        let render = common.render == Case.withoutRendering ? "" : " with " + common.render
        let conditions = common.conditionsText.isEmpty ? "" : ", " + common.conditionsText
        let spoken = sweeps.map { sweep in
            "\(sweep.common.mode): k \(ByteText.fixed(sweep.line.slope, places: 2)), \(sweep.verdict.words)"
        }
        return SlopeChart(
            title: SafeText.forTerminal("Peak growth against size\(render), \(common.allocator.rawValue)\(conditions)"),
            summary: SafeText.forTerminal(spoken.joined(separator: "; ")) + ".",
            lines: sweeps.map { sweep in
                SlopeChart.Line(
                    SafeText.forTerminal("\(sweep.common.mode)  k \(ByteText.fixed(sweep.line.slope, places: 2))"),
                    points: points(of: sweep).map { (x: $0.x / mebibyte, y: $0.y / mebibyte) },
                    slope: sweep.line.slope, intercept: sweep.line.intercept / mebibyte)
            }
        ).picture
    }

    private func points(of sweep: SizeSweep) -> [(x: Double, y: Double)] {
        let cells = Set(sweep.cases)
        return report.cases.filter { cells.contains($0.cell) }.flatMap { summary in
            summary.trials.filter(\.isCompleted).compactMap { trial in
                guard let size = trial.requestedByteCount, let y = Metric.peakResidentGrowth.value(trial) else {
                    return nil
                }
                return (x: Double(size.rawValue), y: y)
            }
        }
    }
}
