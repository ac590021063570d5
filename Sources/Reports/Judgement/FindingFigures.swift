// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Texts
import TrialKit

/// The format of a finding's figures: sizes in MiB, and changes also as a share of the whole.
///
/// Figures of a scenario, such as bytes that a request leaks, are in their own unit and without a share, because they
/// are not part of the whole.
struct FindingFigures: Sendable {
    /// The number of base units in the displayed unit.
    let divisor: Double
    /// The unit with a leading space.
    let symbol: String
    /// True if changes are also shares of a whole.
    let isRelative: Bool

    /// Sizes of scenarios and budgets up to this are in bytes, so that a small leak is not 0.00 MiB.
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

    func text(_ value: Double) -> String {
        let scaled = value / divisor
        return ByteText.fixed(scaled, places: JudgementText.places(of: [scaled])) + symbol
    }

    /// Returns a figure for a table, without MiB, which the table's legend states.
    func cell(_ value: Double?) -> String {
        guard let value else { return FigureText.absent }
        return ByteText.fixed(value / divisor, places: 2) + (symbol == Metric.Unit.bytes.symbol ? "" : symbol)
    }

    /// Returns the smallest detectable change as a share, or in the figure's own unit.
    func detectable(_ change: Double) -> String {
        isRelative ? JudgementText.share(change) : text(change)
    }
}
