// SPDX-License-Identifier: Apache-2.0

import Charts
import Runs

/// Timelines of one trial of each case with the same axes, others faintly behind it.
struct TimelinePictures: Sendable {
    private let report: Report
    private let drawn: [Int]
    private let shown: Set<Int>
    private let series: RunSeries
    /// The timelines that are shown at once: those of the cases that differ most.
    private static let most = 12
    /// The timelines in all; more would make the page heavy.
    private static let mostInAll = 60

    init(_ report: Report) throws {
        self.report = report
        let measured = report.cases.indices.filter { report.cases[$0].completed > 0 }
            .withLast { report.cases[$0].cell.asset == Case.nullAsset }
        drawn = Array(measured.prefix(Self.mostInAll))
        shown = Self.mostDifferent(of: drawn, in: report)
        series = try RunSeries(report, of: drawn, withOthers: shown)
    }

    /// The timelines, and behind them the others to be unfolded; none if no series are stored.
    var sections: [DocumentSection] {
        let entries = drawn.compactMap { index in series.entries[index].map { (index: index, entry: $0) } }
        let timelines = entries.map { timeline(of: report.cases[$0.index], $0.entry) }
        let figures = zip(entries, Timeline.pictures(of: timelines)).map { place, picture in
            (
                place.index,
                DocumentFigure(picture: picture, caption: caption(of: place.index, place.entry), isTimeline: true)
            )
        }
        var first = DocumentSection("timelines", "Memory over time")
        first.paragraphs = ["All with the same axes, MiB over milliseconds. " + Self.legend]
        first.figures = figures.filter { shown.contains($0.0) }.map(\.1)
        let more = figures.count - first.figures.count
        let all =
            drawn.count < report.cases.count { $0.completed > 0 } ? "\(more) other cases" : "the other \(more) cases"
        var others = DocumentSection("more-timelines", "Memory over time of \(all)")
        others.isFolded = true
        others.figures = figures.filter { !shown.contains($0.0) }.map(\.1)
        return [first, others].filter { !$0.figures.isEmpty }
    }

    private static let legend =
        "Orange: resident; blue, dashed: anonymous; green, dotted: received; purple: charged to the control group, as a "
        + "container would be; red: the kernel's exact peak of a phase, which samples may miss; grey: other trials."

    private static func mostDifferent(of cases: [Int], in report: Report) -> Set<Int> {
        guard cases.count > most else { return Set(cases) }
        let peaks = Dictionary(
            uniqueKeysWithValues: cases.map { ($0, report.cases[$0].median(of: .peakResident) ?? 0) })
        let middle = Distribution(Array(peaks.values))?.median ?? 0
        let distance = { (index: Int) in abs((peaks[index] ?? 0) - middle) }
        return Set(cases.sorted { (distance($1), $0) < (distance($0), $1) }.prefix(most))
    }

    private func timeline(of summary: CaseSummary, _ entry: RunSeries.Entry) -> Timeline {
        let peak = FigureText.size(Metric.peakResident.value(entry.trial))
        let anonymous = FigureText.size(Metric.peakAnonymous.value(entry.trial))
        return Timeline(
            title: SafeText.forTerminal(report.label(of: summary.cell)),
            summary:
                "Memory over time of trial \(entry.trial.number). Resident memory peaks at \(peak) MiB, anonymous at \(anonymous) MiB. "
                + spoken(of: entry),
            bands: bands(of: entry), lines: lines(of: entry.main),
            faint: entry.others.filter { !$0.slices.isEmpty }.map { points(of: $0) { $0.resident } })
    }

    private func caption(of index: Int, _ entry: RunSeries.Entry) -> String {
        let others = report.cases[index].completed - 1
        let drawn = entry.others.count
        let words =
            drawn == 0 ? "" : others == drawn ? "; grey: the other \(others)" : "; grey: \(drawn) of \(others) others"
        return "Trial \(entry.trial.number) (median)\(words)"
    }

    private func lines(of series: DecimatedSeries) -> [(line: Timeline.Line, points: Timeline.Points)] {
        let received = series.slices.compactMap { slice in
            slice.received.map { (time: Double(slice.time) / 1e6, value: Double($0) / 1_048_576) }
        }
        // Half the points: a charge has no spikes that a process's memory does not show.
        let charged = series.slices.chunks(ofCount: 2).compactMap { pair in
            pair.compactMap(\.charged).max().map {
                (time: Double(pair.first?.time ?? 0) / 1e6, value: Double($0) / 1_048_576)
            }
        }
        return [
            (.resident, points(of: series) { $0.resident }), (.anonymous, points(of: series) { $0.anonymous }),
        ] + (received.isEmpty ? [] : [(.received, received)]) + (charged.isEmpty ? [] : [(.charged, charged)])
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
            return (
                name(of: span.phase, entry), Double(span.times.lowerBound) / 1e6...Double(span.times.upperBound) / 1e6,
                exact.map { Double($0.rawValue) / 1_048_576 }
            )
        }
    }

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

    struct RunSeries: Sendable {
        struct Entry: Sendable {
            /// The trial whose peak growth is nearest to the median.
            let trial: Trial
            var main: DecimatedSeries
            var others: [DecimatedSeries]
        }

        private(set) var entries: [Int: Entry] = [:]

        /// The slices of all timelines together, which limits the size of the page.
        private static let allSlices = 2_400
        /// The slices of one timeline: fewer hide its shape, and screens do not show more.
        private static let slices = 40...160
        /// The number of faint lines of all timelines together; more make the page heavy.
        private static let allOthers = 36
        /// The number of faint lines of one timeline; more would hide each other.
        private static let mostOthers = 8

        private enum Place {
            case main(Int)
            case other(Int, Int)
        }

        /// Reads the series of some of a report's cases; throws if the file exists and is invalid.
        init(_ report: Report, of measured: [Int], withOthers shown: Set<Int>) throws {
            guard let folder = report.folder, folder.has(.samples) else { return }
            let most = min(Self.mostOthers, Self.allOthers / max(shown.count, 1))
            let fair = Self.allSlices / max(measured.count, 1)
            let detail = min(max(fair, Self.slices.lowerBound), Self.slices.upperBound)
            var places: [Int: Place] = [:]
            for index in measured {
                guard let trial = Self.middle(of: report.cases[index]) else { continue }
                let others = shown.contains(index) ? Self.others(of: report.cases[index], but: trial, atMost: most) : []
                places[trial.number] = .main(index)
                for (position, other) in others.enumerated() { places[other] = .other(index, position) }
                let coarse = DecimatedSeries(slices: max(20, detail / 5))
                entries[index] = Entry(
                    trial: trial, main: DecimatedSeries(slices: detail), others: others.map { _ in coarse })
            }
            var found = entries
            let use = { (row: SampleRow) in
                switch places[row.trial] {
                case .main(let index): found[index]?.main.add(row)
                case .other(let index, let position): found[index]?.others[position].add(row)
                case nil: break
                }
            }
            entries = [:]
            try SampleScanner.scan(folder, wanted: { places[$0] != nil }, use: use)
            entries = found.filter { !$0.value.main.slices.isEmpty }
        }

        /// Returns the completed trial whose peak growth is nearest to the median, the first of equals.
        private static func middle(of summary: CaseSummary) -> Trial? {
            let completed = summary.trials.filter(\.isCompleted)
            guard let median = summary.median(of: .peakResidentGrowth) else { return completed.first }
            let distance = { (trial: Trial) in
                Metric.peakResidentGrowth.value(trial).map { abs($0 - median) } ?? .infinity
            }
            return completed.min { distance($0) < distance($1) }
        }

        private static func others(of summary: CaseSummary, but trial: Trial, atMost most: Int) -> [Int] {
            let numbers = summary.trials.filter { $0.isCompleted && $0.number != trial.number }.map(\.number)
            guard numbers.count > most else { return numbers }
            return (0..<most).map { numbers[$0 * numbers.count / most] }
        }
    }
}
