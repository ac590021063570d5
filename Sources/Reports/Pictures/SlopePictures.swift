// SPDX-License-Identifier: Apache-2.0

import Charts
import MemProbe
import Runs
import Statistics
import Texts

extension Report {
    /// Peak growth against the size of the asset, with the fitted lines: a picture for each render model, allocator and
    /// conditions, and more if there are too many lines.
    var slopePictures: [ChartPicture] {
        let groups = sweeps.grouped { sweep in
            [sweep.common.render, sweep.common.allocator.rawValue, sweep.common.conditionsText]
        }
        return groups.flatMap { $0.elements.chunks(ofCount: ChartStyle.seriesCount) }.map(slopePicture)
    }

    private func slopePicture(of sweeps: [SizeSweep]) -> ChartPicture {
        let mebibyte = 1_048_576.0
        let common = sweeps[0].common
        let render = common.render == Case.withoutRendering ? "" : " with " + common.render
        let conditions = common.conditionsText.isEmpty ? "" : ", " + common.conditionsText
        let spoken = sweeps.map { sweep in
            "\(sweep.common.mode): k \(ByteText.fixed(sweep.line.slope, places: 2)), \(sweep.verdict.words)"
        }
        return LineChart(
            title: SafeText.forTerminal("Peak growth against size\(render), \(common.allocator.rawValue)\(conditions)"),
            summary: SafeText.forTerminal(spoken.joined(separator: "; ")) + ".", xAxis: "size of the asset, MiB",
            yAxis: "peak growth, MiB",
            lines: sweeps.map { sweep in
                var line = LineChart.Line(
                    SafeText.forTerminal("\(sweep.common.mode)  k \(ByteText.fixed(sweep.line.slope, places: 2))"),
                    points: points(of: sweep).map { (x: $0.x / mebibyte, y: $0.y / mebibyte) })
                line.fit = (sweep.line.intercept / mebibyte, sweep.line.slope)
                return line
            }
        ).picture
    }

    private func points(of sweep: SizeSweep) -> [(x: Double, y: Double)] {
        let cells = Set(sweep.cases)
        return cases.filter { cells.contains($0.cell) }.flatMap { summary in
            summary.trials.filter(\.isCompleted).compactMap { trial in
                guard let size = trial.requestedByteCount, let y = Metric.peakResidentGrowth.value(trial) else {
                    return nil
                }
                return (x: Double(size.rawValue), y: y)
            }
        }
    }
}
