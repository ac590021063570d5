// SPDX-License-Identifier: Apache-2.0

import Charts
import MemProbe
import Runs
import Texts
import TrialKit

/// Timelines of one trial of each case, with others faintly behind it.
struct TimelinePictures: Sendable {
    private let report: Report
    private let series: RunSeries
    /// The largest number of timelines; the first cases of the plan are drawn.
    private static let most = 400

    init(_ report: Report) throws(FetchBenchError) {
        self.report = report
        series = try RunSeries(report)
    }

    var section: HTMLSection {
        var section = HTMLSection("timelines", "In time")
        let drawn = report.cases.indices.filter { series.entries[$0] != nil }
        section.figures = drawn.prefix(Self.most).compactMap { index in
            series.entries[index].map { figure(of: report.cases[index], $0) }
        }
        section.paragraphs = [
            "The whole process as it was sampled from outside, of each stretch of time the least and the most. The exact peak "
                + "of a phase is the kernel's: samples may miss it."
        ]
        if drawn.isEmpty {
            section.paragraphs = [
                "The timelines are left out: no series of the trials are stored with this run (samples.csv)."
            ]
        } else if drawn.count > Self.most {
            section.paragraphs.append("The first \(Self.most) of \(drawn.count) cases; all series are in samples.csv.")
        }
        return section
    }

    private func figure(of summary: CaseSummary, _ entry: RunSeries.Entry) -> HTMLFigure {
        let name = SafeText.forTerminal(summary.cell.identifier)
        let others = entry.others.filter { !$0.slices.isEmpty }
        let peak = FigureText.size(Metric.peakResident.value(entry.trial))
        let anonymous = FigureText.size(Metric.peakAnonymous.value(entry.trial))
        let picture = Timeline(
            title: "\(name): memory in time",
            summary:
                "Trial \(entry.trial.number). Resident memory peaks at \(peak) MiB, anonymous at \(anonymous) MiB. "
                + spoken(of: entry),
            bands: bands(of: entry), lines: lines(of: entry.main),
            faint: others.map { points(of: $0) { $0.resident } }
        ).picture
        let rest = summary.completed - 1 - others.count
        let behind =
            others.isEmpty
            ? "" : " Behind it \(others.count) other trials\(rest > 0 ? " of \(others.count + rest)" : "")."
        return HTMLFigure(
            picture: picture,
            caption: "Trial \(entry.trial.number) (median).\(behind)",
            isTimeline: true)
    }

    private func lines(of series: DecimatedSeries) -> [(line: Timeline.Line, points: Timeline.Points)] {
        let received = series.slices.compactMap { slice in
            slice.received.map { (time: Double(slice.time) / 1e6, value: Double($0) / 1_048_576) }
        }
        return [
            (.resident, points(of: series) { $0.resident }), (.anonymous, points(of: series) { $0.anonymous }),
        ] + (received.isEmpty ? [] : [(.received, received)])
    }

    /// Returns the minimum and maximum of each slice, the one nearer to the previous point first.
    private func points(
        of series: DecimatedSeries, _ range: (DecimatedSeries.Slice) -> ClosedRange<Int>
    ) -> Timeline.Points {
        var points: Timeline.Points = []
        for slice in series.slices {
            let time = Double(slice.time) / 1e6
            let ends = range(slice)
            let (low, high) = (Double(ends.lowerBound) / 1_048_576, Double(ends.upperBound) / 1_048_576)
            guard low < high else {
                points.append((time, low))
                continue
            }
            let isHigh = points.last.map { abs($0.value - high) < abs($0.value - low) } ?? false
            points.append((time, isHigh ? high : low))
            points.append((time, isHigh ? low : high))
        }
        return points
    }

    private func bands(of entry: RunSeries.Entry) -> [Timeline.Band] {
        entry.main.spans.map { span in
            let exact = Phase.measured.contains(span.phase) ? entry.trial.reading(of: span.phase)?.peak.resident : nil
            return Timeline.Band(
                name(of: span.phase, entry), Double(span.times.lowerBound) / 1e6...Double(span.times.upperBound) / 1e6,
                exact: exact.map { Double($0.rawValue) / 1_048_576 })
        }
    }

    /// Returns the name of a phase; the only phase of a plain command is its run.
    private func name(of phase: Phase, _ entry: RunSeries.Entry) -> String {
        entry.trial.cell.isPlain ? "run" : phase.rawValue
    }

    private func spoken(of entry: RunSeries.Entry) -> String {
        entry.main.spans.compactMap { span in
            guard let reading = entry.trial.reading(of: span.phase) else { return nil }
            let milliseconds = FigureText.milliseconds(Double(reading.endNanoseconds - reading.startNanoseconds))
            let peak = FigureText.size(Double(reading.peak.resident.rawValue))
            return "\(name(of: span.phase, entry)): \(milliseconds) ms, peak \(peak) MiB."
        }.joined(separator: " ")
    }
}
