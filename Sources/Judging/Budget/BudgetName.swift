// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// A measured quantity of a budget: a metric, or the slope of a size sweep.
struct BudgetName: Sendable {
    let word: String
    let unit: Metric.Unit
    /// The metric, or `nil` for the slope.
    let metric: Metric?

    /// The name of the asset's size, which is not a measured quantity.
    static let size = "size"
    /// The name of the peak growth per byte of the asset over a size sweep.
    static let slope = "slope"

    /// Looks a word up by short or full name; the first of several metrics with the same short name wins.
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

    var fullName: String { metric?.name ?? word }

    /// Returns the names to suggest: judged metrics first, those of single phases last.
    static func choices(_ metrics: MetricCatalog) -> [String] {
        let judged = JudgedMetric.memory.map { $0.alternatives[0].shortName }
        let ofPhases = Phase.measured.flatMap { Metric.figures(of: $0) }.map(\.shortName)
        let others = metrics.all.map(\.shortName).filter { !judged.contains($0) && !ofPhases.contains($0) }
        return judged + others + ofPhases + [size, slope]
    }
}

/// A function over all trials of a case.
enum BudgetFunction: String, Sendable, CaseIterable {
    case max
    case min
    case median
}

/// A unit of a number.
struct BudgetUnit: Sendable {
    let unit: Metric.Unit
    /// The number of base units in it.
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

    static let symbols = table.map(\.symbol)

    /// Returns the unit of a symbol; sizes are matched case-insensitively.
    static func named(_ symbol: String) -> BudgetUnit? {
        let entry = table.first { entry in
            entry.symbol == symbol
                || entry.unit.unit == .bytes && entry.symbol.lowercased() == symbol.lowercased()
        }
        return entry?.unit
    }

    /// True if a symbol is read as a power of 1,000 or of 1,024.
    static func isAmbiguous(_ symbol: String) -> Bool {
        ["k", "m", "g", "t", "kb", "mb", "gb", "tb"].contains(symbol.lowercased())
    }
}
