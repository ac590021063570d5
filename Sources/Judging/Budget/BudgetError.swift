// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts
import TrialKit

/// An error in the text of a budget, with its place.
package struct BudgetError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case tooLong(limit: Int)
        case tooDeep(limit: Int)
        case emptyScope
        /// `found` is `nil` at the end of the text.
        case expected(String, found: String?)
        case unknownMetric(String, short: [String], full: [String])
        case unknownFunction(String)
        case unknownUnit(String)
        case ambiguousUnit(String)
        case numberTooLarge(String)
        case missingUnit(number: String, unit: Metric.Unit)
        /// The operator is undefined for these units.
        case mismatch(Metric.Unit, String, Metric.Unit)
        case incomparable(Metric.Unit, Metric.Unit)
        case secondComparison
        /// The comparison contains no metric.
        case noMetric
    }

    package let text: String
    /// The place in Unicode scalars, from 1; the count plus one if something is missing at the end.
    package let column: Int
    package let reason: Reason

    init(_ text: String, column: Int, _ reason: Reason) {
        self.text = text
        self.column = column
        self.reason = reason
    }
}

extension BudgetError: CustomStringConvertible {
    /// The message, escaped for a terminal.
    package var description: String {
        let shown = text.unicodeScalars.count > Budget.longestText ? "\(text.prefix(40))…" : text
        return SafeText.forTerminal("budget \"\(shown)\", column \(column): \(reason)")
    }
}

extension BudgetError.Reason: CustomStringConvertible {
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
            "unit '\(name)' is ambiguous (1,000 or 1,024). Write KiB, MiB or GiB"
        case .numberTooLarge(let number): "\(number) is too large"
        case .missingUnit(let number, let unit):
            "\(number) has no unit; write \(number) \(unit == .nanoseconds ? "ms" : "MiB")"
        case .mismatch(let left, let sign, let right):
            "\(left.words) \(sign) \(right.words) is not supported in a budget"
        case .incomparable(let left, let right): "\(left.words) cannot be compared with \(right.words)"
        case .secondComparison: "a budget has exactly one comparison"
        case .noMetric: "the budget has no metric to limit, such as peak"
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
    fileprivate var words: String {
        switch self {
        case .bytes: "bytes"
        case .nanoseconds: "a duration"
        case .ratio: "a pure number"
        }
    }
}
