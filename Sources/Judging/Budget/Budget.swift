// SPDX-License-Identifier: Apache-2.0

package import Runs

/// An absolute limit written as a formula: `peak <= 1.2 * size + 4 MiB`.
///
/// It may have a scope: `hero/data/*/glibc: peak <= 2.2 * size`. It needs no baseline and is valid on every machine.
package struct Budget: Sendable {
    /// The longest text that is read, in Unicode scalars.
    package static let longestText = 1000

    package let text: String
    /// The cases that it limits, or `nil` for every case but the null case.
    package let scope: BudgetScope?
    package let expression: BudgetExpression

    /// Parses a budget.
    ///
    /// The last colon ends the scope: no expression has one, the name of an asset may.
    package init(parsing text: String, of metrics: MetricCatalog) throws(BudgetError) {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count <= Self.longestText else {
            throw BudgetError(text, column: Self.longestText + 1, .tooLong(limit: Self.longestText))
        }
        var start = 0
        var scope: BudgetScope?
        if let colon = scalars.lastIndex(of: ":") {
            guard let read = BudgetScope(trimming: scalars[..<colon]) else {
                throw BudgetError(text, column: 1, .emptyScope)
            }
            scope = read
            start = colon + 1
        }
        var parser = BudgetParser(text, scalars: scalars, start: start, metrics: metrics)
        expression = try parser.expression()
        self.text = text
        self.scope = scope
    }

    /// True if it limits the slope of a sweep, which takes several sizes to measure.
    package var limitsSlope: Bool { expression.needsSweep }

    /// True if the budget limits a case; the null case is limited only by a scope that begins with `none/`.
    package func applies(to cell: Case) -> Bool {
        guard let scope else { return !cell.isNull }
        return scope.matches(cell)
    }
}

extension Budget: Hashable {
    package static func == (left: Budget, right: Budget) -> Bool {
        left.text == right.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
