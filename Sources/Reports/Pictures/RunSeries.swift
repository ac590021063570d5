// SPDX-License-Identifier: Apache-2.0

import Runs

/// The series of the trials on a page, read from a run's `samples.csv` in one pass.
struct RunSeries: Sendable {
    struct Entry: Sendable {
        /// The trial whose peak growth is nearest to the median.
        let trial: Trial
        var main: DecimatedSeries
        /// Coarser series of other trials.
        var others: [DecimatedSeries]
    }

    /// The entries by the index of their case in the report.
    private(set) var entries: [Int: Entry] = [:]

    /// The slices of all timelines together, which limits the size of the page.
    private static let allSlices = 4_000
    /// The slices of one timeline: fewer hide its shape, and screens do not show more.
    private static let slices = 40...160
    /// The number of faint lines; more would hide each other.
    static let mostOthers = 8

    /// The series that a trial belongs to.
    private enum Place {
        case main(Int)
        case other(Int, Int)
    }

    /// Reads the series of a report's cases; throws if the file exists and is invalid.
    init(_ report: Report) throws(FetchBenchError) {
        guard let folder = report.folder, folder.has(.samples) else { return }
        let measured = report.cases.indices.filter { report.cases[$0].completed > 0 }
        let fair = Self.allSlices / max(measured.count, 1)
        let detail = min(max(fair, Self.slices.lowerBound), Self.slices.upperBound)
        var places: [Int: Place] = [:]
        for index in measured {
            guard let trial = Self.middle(of: report.cases[index]) else { continue }
            let others = Self.others(of: report.cases[index], but: trial)
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

    /// Returns the numbers of some other completed trials, spread evenly.
    private static func others(of summary: CaseSummary, but trial: Trial) -> [Int] {
        let numbers = summary.trials.filter { $0.isCompleted && $0.number != trial.number }.map(\.number)
        guard numbers.count > mostOthers else { return numbers }
        return (0..<mostOthers).map { numbers[$0 * numbers.count / mostOthers] }
    }
}
