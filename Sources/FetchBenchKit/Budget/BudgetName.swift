// SPDX-License-Identifier: Apache-2.0

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
    init?(_ word: String) {
        guard word != Self.slope else {
            self.word = word
            unit = .ratio
            metric = nil
            return
        }
        guard let metric = Self.metrics[word] else { return nil }
        self.word = word
        self.metric = metric
        unit = metric.unit
    }

    /// The full name, as in the column `metric`.
    var fullName: String { metric?.name ?? word }

    /// The short names, in the order in which they are shown.
    static let shortNames: [(word: String, metric: Metric)] =
        [
            ("peak", .netPeakGrowthOrGrowth), ("anonymous", .peakAnonymousGrowth), ("k", .copiesHeld),
            ("retained", .retainedResidentGrowth), ("retained_anonymous", .retainedAnonymousGrowth),
            ("purged", .purgedResidentGrowth), ("page_cache", .pageCache), ("bitmap", .bitmap),
            ("copies_beside_bitmap", .copiesBesideBitmap), ("sampled_maximum", .sampledMaximum),
            ("verification_cpu", .verificationCPU), ("process_duration", .processDuration),
            ("baseline_resident", .baselineResident), ("baseline_anonymous", .baselineAnonymous),
            ("growth", .peakResidentGrowth), ("net_peak", .netPeak), ("whole_peak", .peakResident),
            ("whole_anonymous", .peakAnonymous), ("program_pages", .programPages),
            ("baseline_program_pages", .baselineProgramPages),
        ]
        + Phase.measured.flatMap { phase in
            zip(
                ["peak", "anonymous", "duration", "cpu", "allocated", "allocator_resident"],
                Metric.figures(of: phase)
            ).map { (word: "\(phase.rawValue)_\($0)", metric: $1) }
        }

    /// The short names and what else may stand for a quantity.
    static let shortChoices = shortNames.map(\.word) + [size, slope]

    /// Every word that may stand for a quantity.
    static let choices = shortChoices + Metric.all.map(\.name)

    private static let metrics = Dictionary(
        shortNames.map { ($0.word, $0.metric) } + Metric.all.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })
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
