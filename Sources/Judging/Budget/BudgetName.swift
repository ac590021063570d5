// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// A measured quantity as a budget names it: a metric by its short or its full name, or the slope of a size sweep.
struct BudgetName: Sendable {
    /// The word as it was written.
    let word: String
    /// Its unit.
    let unit: Metric.Unit
    /// The metric, or `nil` where no single case has the figure.
    let metric: Metric?

    /// The asset's size: a name as well, though nothing measured.
    static let size = "size"
    /// Peak growth per byte of the asset over a sweep of sizes.
    static let slope = "slope"

    /// Looks a word up; `nil` where nothing has that name.
    ///
    /// Of two metrics with one short name the first counts.
    init?(_ word: String, of metrics: MetricCatalog) {
        self.word = word
        guard word != Self.slope else {
            unit = .ratio
            metric = nil
            return
        }
        guard let metric = metrics.all.first(where: { $0.shortName == word || $0.name == word }) else { return nil }
        self.metric = metric
        unit = metric.unit
    }

    /// The full name, as in the column `metric`.
    var fullName: String { metric?.name ?? word }

    /// The short names and what else may stand for a quantity: what is judged first, what tells of single phases last.
    static func choices(_ metrics: MetricCatalog) -> [String] {
        let judged = JudgedMetric.memory.map { $0.alternatives[0].shortName }
        let ofPhases = Phase.measured.flatMap { Metric.figures(of: $0) }.map(\.shortName)
        let others = metrics.all.map(\.shortName).filter { !judged.contains($0) && !ofPhases.contains($0) }
        return judged + others + ofPhases + [size, slope]
    }
}

/// What makes one figure of all trials of a case.
enum BudgetFunction: String, Sendable, CaseIterable {
    /// The largest.
    case max
    /// The smallest.
    case min
    /// The middle one, or the mean of the two in the middle.
    case median
}

/// A unit behind a number.
struct BudgetUnit: Sendable {
    /// What kind of quantity it makes of the number.
    let unit: Metric.Unit
    /// How many base units it is.
    let factor: Double

    private static let table: [(symbol: String, unit: BudgetUnit)] = [
        ("B", BudgetUnit(unit: .bytes, factor: 1)),
        ("KiB", BudgetUnit(unit: .bytes, factor: 1024)),
        ("MiB", BudgetUnit(unit: .bytes, factor: 1_048_576)),
        ("GiB", BudgetUnit(unit: .bytes, factor: 1_073_741_824)),
        ("ns", BudgetUnit(unit: .nanoseconds, factor: 1)),
        ("us", BudgetUnit(unit: .nanoseconds, factor: 1e3)),
        ("ms", BudgetUnit(unit: .nanoseconds, factor: 1e6)),
        ("s", BudgetUnit(unit: .nanoseconds, factor: 1e9)),
    ]

    /// All units.
    static let symbols = table.map(\.symbol)

    /// The unit of a symbol, whose case does not matter in sizes; `nil` where there is none.
    static func named(_ symbol: String) -> BudgetUnit? {
        let entry = table.first { entry in
            entry.symbol == symbol
                || entry.unit.unit == .bytes && entry.symbol.lowercased() == symbol.lowercased()
        }
        return entry?.unit
    }

    /// Whether a symbol means different sizes to different people.
    static func isAmbiguous(_ symbol: String) -> Bool {
        ["k", "m", "g", "t", "kb", "mb", "gb", "tb"].contains(symbol.lowercased())
    }
}
