// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The comparison of a budget: a measured side, a relation and a limiting side.
///
///     comparison = sum ("<=" | "<" | ">=" | ">") sum
///     sum        = product { ("+" | "-") product }
///     product    = factor { ("*" | "/") factor }
///     factor     = "-" factor | number [unit] | "size" | metric | function "(" metric ")" | "(" sum ")"
///     unit       = "B" | "KiB" | "MiB" | "GiB" | "ns" | "us" | "ms" | "s"
///     function   = "max" | "min" | "median"
///
/// A metric has a short name (`peak`, `k`, `fetch_cpu`) and a full one (`peak_resident_growth_bytes`). `peak <= X` is
/// checked in **every completed trial**, `median(peak) <= X` once, against the median, and
/// `peak <= 1.05 * median(peak)` in each trial against the median of all.
///
/// Units are checked at parsing: both sides have the same unit, and bytes ÷ bytes is a pure number.
package struct BudgetExpression: Sendable {
    package enum Relation: String, Codable, Hashable, Sendable {
        case atMost = "<="
        case below = "<"
        case atLeast = ">="
        case above = ">"

        /// The relation with its sides swapped.
        var flipped: Relation {
            switch self {
            case .atMost: .atLeast
            case .below: .above
            case .atLeast: .atMost
            case .above: .below
            }
        }

        /// The negated relation.
        var opposite: Relation {
            switch self {
            case .atMost: .above
            case .below: .atLeast
            case .atLeast: .below
            case .above: .atMost
            }
        }

        var isUpperBound: Bool { self == .atMost || self == .below }

        func holds(_ measured: Double, _ limit: Double) -> Bool {
            switch self {
            case .atMost: measured <= limit
            case .below: measured < limit
            case .atLeast: measured >= limit
            case .above: measured > limit
            }
        }
    }

    /// The measured side as written: `peak`, `max(peak)`.
    package let measuredText: String
    /// The relation with the measured side first: `4 MiB >= peak` becomes `<=`.
    package let relation: Relation
    /// The limiting side as written: `1.2 * size + 4 MiB`.
    package let limitText: String
    package let unit: Metric.Unit
    /// The full names of its metrics without repetitions, those of the measured side first.
    package let metrics: [String]

    let measured: BudgetTerm
    let limit: BudgetTerm

    init(measured: BudgetTerm, relation: Relation, limit: BudgetTerm, scalars: [Unicode.Scalar]) {
        self.measured = measured
        self.relation = relation
        self.limit = limit
        unit = measured.unit
        measuredText = Self.text(of: measured, in: scalars)
        limitText = Self.text(of: limit, in: scalars)
        let names = (measured.names + limit.names).map(\.fullName)
        metrics = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    /// True if each trial is judged on its own.
    var isOfOneTrial: Bool { measured.isOfOneTrial || limit.isOfOneTrial }

    /// True if it contains the slope of a sweep.
    var needsSweep: Bool { measured.needsSweep || limit.needsSweep }

    private static func text(of term: BudgetTerm, in scalars: [Unicode.Scalar]) -> String {
        scalars[term.range].reduce(into: "") { $0.unicodeScalars.append($1) }
    }
}
