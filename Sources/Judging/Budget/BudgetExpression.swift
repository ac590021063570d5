// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The limit of a budget: a measured side, a comparison, and the side that limits it.
///
///     comparison = sum ("<=" | "<" | ">=" | ">") sum
///     sum        = product { ("+" | "-") product }
///     product    = factor { ("*" | "/") factor }
///     factor     = "-" factor | number [unit] | "size" | metric | function "(" metric ")" | "(" sum ")"
///     unit       = "B" | "KiB" | "MiB" | "GiB" | "ns" | "us" | "ms" | "s"
///     function   = "max" | "min" | "median"
///
/// A metric has a short name (`peak`, `k`, `fetch_cpu`) or its full one (`peak_resident_growth_bytes`), and stands as
/// written: `peak <= X` is checked in **every completed trial**, so the largest has to hold; `median(peak) <= X`
/// is checked once, against the median; `peak <= 1.05 * median(peak)` checks each trial against the median of all.
///
/// Units are checked when the text is read: bytes are never compared with a pure number, bytes ÷ bytes is one, and
/// what is no byte count, duration or pure number is refused.
package struct BudgetExpression: Sendable {
    /// What the measured side has to be.
    package enum Relation: String, Codable, Hashable, Sendable {
        /// At most the limit.
        case atMost = "<="
        /// Less than the limit.
        case below = "<"
        /// At least the limit.
        case atLeast = ">="
        /// More than the limit.
        case above = ">"

        /// The relation seen from the other side.
        var flipped: Relation {
            switch self {
            case .atMost: .atLeast
            case .below: .above
            case .atLeast: .atMost
            case .above: .below
            }
        }

        /// The relation that holds where this one does not.
        var opposite: Relation {
            switch self {
            case .atMost: .above
            case .below: .atLeast
            case .atLeast: .below
            case .above: .atMost
            }
        }

        /// Whether the limit is one from above.
        var isUpperBound: Bool { self == .atMost || self == .below }

        /// Whether two values are so related.
        func holds(_ measured: Double, _ limit: Double) -> Bool {
            switch self {
            case .atMost: measured <= limit
            case .below: measured < limit
            case .atLeast: measured >= limit
            case .above: measured > limit
            }
        }
    }

    /// The measured side as it was written: `peak`, `max(peak)`.
    package let measuredText: String
    /// What it has to be, read with the measured side first: `4 MiB >= peak` is at most, too.
    package let relation: Relation
    /// The limiting side as it was written: `1.2 * size + 4 MiB`.
    package let limitText: String
    /// The unit of both sides.
    package let unit: Metric.Unit
    /// The full names of the metrics in it, those of the measured side first, each once.
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

    /// Whether each trial is judged on its own.
    var isOfOneTrial: Bool { measured.isOfOneTrial || limit.isOfOneTrial }

    /// Whether it names the slope of a sweep, which many cases have in common.
    var needsSweep: Bool { measured.needsSweep || limit.needsSweep }

    private static func text(of term: BudgetTerm, in scalars: [Unicode.Scalar]) -> String {
        scalars[term.range].reduce(into: "") { $0.unicodeScalars.append($1) }
    }
}
