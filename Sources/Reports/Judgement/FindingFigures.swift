// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Texts
import TrialKit

/// How the figures of a finding are written: sizes in MiB and changes beside a share of the whole; what a scenario
/// measures, such as the bytes that a request leaves behind, and what a budget says of it in its own unit and without a
/// share, as it is part of none.
struct FindingFigures: Sendable {
    /// How many base units the unit has that is written.
    let divisor: Double
    /// The unit, with the space before it.
    let symbol: String
    /// Whether changes are shares of a whole, too.
    let isRelative: Bool

    /// Sizes of a scenario and of budgets are written as bytes up to this: a leak is no 0.00 MiB.
    private static let smallBytes = 65_536.0

    init(of finding: Finding) {
        isRelative = finding.part != .scenario
        let largest = [finding.base, finding.head, finding.limit].compactMap { $0.map(abs) }.max() ?? 0
        let isSmall = largest > 0 && largest <= Self.smallBytes
        if finding.unit == .bytes, !isRelative || finding.budget != nil, isSmall {
            (divisor, symbol) = (1, " B")
        } else {
            (divisor, symbol) = (finding.unit.divisor, finding.unit.symbol)
        }
    }

    /// A figure with its unit.
    func text(_ value: Double) -> String {
        let scaled = value / divisor
        return ByteText.fixed(scaled, places: JudgementText.places(of: [scaled])) + symbol
    }

    /// A figure of a table; MiB are left out, since its legend says them.
    func cell(_ value: Double?) -> String {
        guard let value else { return FigureText.absent }
        return ByteText.fixed(value / divisor, places: 2) + (symbol == Metric.Unit.bytes.symbol ? "" : symbol)
    }

    /// The smallest change that could have been seen, as a share, or in the figure's own unit.
    func detectable(_ change: Double) -> String {
        isRelative ? JudgementText.share(change) : text(change)
    }
}
