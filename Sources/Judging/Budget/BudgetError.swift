// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts
import TrialKit

/// What is wrong with the text of a budget, and where.
package struct BudgetError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// The text is too long to be a budget.
        case tooLong(limit: Int)
        /// Parentheses and signs are nested too deeply.
        case tooDeep(limit: Int)
        /// There is a colon and nothing before it.
        case emptyScope
        /// Something else should stand here; nothing was found where the text ends.
        case expected(String, found: String?)
        /// No metric has this name.
        case unknownMetric(String, short: [String], full: [String])
        /// No function has this name.
        case unknownFunction(String)
        /// No unit has this name.
        case unknownUnit(String)
        /// The unit means 1,000 to some and 1,024 to others.
        case ambiguousUnit(String)
        /// The number is too large to be held.
        case numberTooLarge(String)
        /// A number needs a unit here.
        case missingUnit(number: String, unit: Metric.Unit)
        /// The operator has no meaning between these units.
        case mismatch(Metric.Unit, String, Metric.Unit)
        /// The two sides have different units.
        case incomparable(Metric.Unit, Metric.Unit)
        /// There is a second comparison.
        case secondComparison
        /// Nothing measured is compared.
        case noMetric
    }

    /// The budget as it was written.
    package let text: String
    /// Where, in Unicode scalars from 1; one more than the text has where something is missing at its end.
    package let column: Int
    /// What is wrong.
    package let reason: Reason

    init(_ text: String, column: Int, _ reason: Reason) {
        self.text = text
        self.column = column
        self.reason = reason
    }
}

extension BudgetError: CustomStringConvertible {
    /// What is wrong, of what, where, and what was probably meant; safe to be printed.
    package var description: String {
        let shown = text.unicodeScalars.count > Budget.longestText ? "\(text.prefix(40))…" : text
        return SafeText.forTerminal("budget \"\(shown)\", column \(column): \(reason)")
    }
}

extension BudgetError.Reason: CustomStringConvertible {
    /// The reason in words.
    package var description: String {
        switch self {
        case .tooLong(let limit): "a budget has at most \(limit) characters"
        case .tooDeep(let limit): "parentheses and signs are nested deeper than \(limit)"
        case .emptyScope: "expected a scope before the colon, such as hero/data/*/glibc"
        case .expected(let expected, let found):
            "expected \(expected), found " + (found.map { "'\($0)'" } ?? "the end of the text")
        case .unknownMetric(let name, let short, let full): Self.unknown("metric", name, short + full, shown: short)
        case .unknownFunction(let name): Self.unknown("function", name, BudgetFunction.allCases.map(\.rawValue))
        case .unknownUnit(let name): Self.unknown("unit", name, BudgetUnit.symbols)
        case .ambiguousUnit(let name):
            "'\(name)' is refused: half of the world reads it as a power of 1,000 and the other half as one of 1,024. "
                + "Write KiB, MiB or GiB"
        case .numberTooLarge(let number): "\(number) is too large"
        case .missingUnit(let number, let unit):
            "\(number) what? write \(number) \(unit == .nanoseconds ? "ms" : "MiB")"
        case .mismatch(let left, let sign, let right): "\(left.words) \(sign) \(right.words) has no meaning in a budget"
        case .incomparable(let left, let right): "\(left.words) cannot be compared with \(right.words)"
        case .secondComparison: "a budget has exactly one comparison"
        case .noMetric: "a budget limits a metric, and this one names none"
        }
    }

    private static func unknown(_ kind: String, _ name: String, _ choices: [String], shown: [String]? = nil) -> String {
        if let nearest = Suggestion.nearest(to: name, among: choices) {
            return "unknown \(kind) '\(name)'. Did you mean '\(nearest)'?"
        }
        return "unknown \(kind) '\(name)'. Choices: \((shown ?? choices).joined(separator: ", "))."
    }
}

extension Metric.Unit {
    /// The unit as a kind of quantity.
    fileprivate var words: String {
        switch self {
        case .bytes: "bytes"
        case .nanoseconds: "a duration"
        case .ratio: "a pure number"
        }
    }
}
