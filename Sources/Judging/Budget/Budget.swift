// SPDX-License-Identifier: Apache-2.0

package import Runs

/// An absolute limit written as a formula: `peak <= 1.2 * size + 4 MiB`.
///
/// It may have a scope: `hero/data/*/glibc: peak <= 2.2 * size`. It needs no baseline and is valid on every machine.
package struct Budget: Sendable {
    package static let longestText = 1000

    package let text: String
    /// The cases that it limits, or `nil` for every case but the null case.
    package let scope: BudgetScope?
    package let expression: Expression

    /// Parses a budget.
    ///
    /// The last colon ends the scope: no expression has one, the name of an asset may.
    package init(parsing text: String, of metrics: MetricCatalog) throws {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count <= Self.longestText else {
            throw Self.mistake(
                in: text, column: Self.longestText + 1, "a budget has at most \(Self.longestText) characters")
        }
        var start = 0
        var scope: BudgetScope?
        if let colon = scalars.lastIndex(of: ":") {
            guard let read = BudgetScope(trimming: scalars[..<colon]) else {
                throw Self.mistake(
                    in: text, column: 1, "expected a scope before the colon, such as hero/data/*/glibc")
            }
            scope = read
            start = colon + 1
        }
        var parser = BudgetParser(text, scalars: scalars, start: start, metrics: metrics)
        expression = try parser.expression()
        (self.text, self.scope) = (text, scope)
    }

    /// - Parameter column: The place in Unicode scalars, from 1; the count plus one if something is missing at the end.
    static func mistake(in text: String, column: Int, _ reason: String) -> FetchBenchError {
        let shown = text.unicodeScalars.count > longestText ? "\(text.prefix(40))…" : text
        return FetchBenchError(SafeText.forTerminal("budget \"\(shown)\", column \(column): \(reason)"))
    }

    /// True if it limits the slope of a sweep, which takes several sizes to measure.
    package var limitsSlope: Bool { expression.needsSweep }

    /// True if the budget limits a case; the null case is limited only by a scope that begins with `none/`.
    package func applies(to cell: Case) -> Bool {
        guard let scope else { return !cell.isNull }
        return scope.matches(cell)
    }

    /// A pattern over case identifiers: `asset/mode/render/allocator[/conditions]`.
    ///
    /// Those of plain commands are `name/allocator[/parameters]`, all of which match the name alone.
    ///
    /// `*` matches any text, empty or with slashes: `hero/*` matches every case of the asset, `*/glibc` those on glibc
    /// under default conditions (not glibc-pinned). Everything else is literal and case-sensitive, and the whole
    /// identifier has to match.
    package struct BudgetScope: Hashable, Sendable {
        package let pattern: String

        /// Trims the text before the colon; `nil` if it is blank.
        init?(trimming scalars: ArraySlice<Unicode.Scalar>) {
            let trimmed = scalars.drop { $0.properties.isWhitespace }
            let end = trimmed.lastIndex { !$0.properties.isWhitespace }
            guard let end else { return nil }
            pattern = trimmed[...end].reduce(into: "") { $0.unicodeScalars.append($1) }
        }

        /// True if a case matches; a wildcard does not match the null case.
        package func matches(_ cell: Case) -> Bool {
            if cell.isNull, !pattern.hasPrefix(Case.nullAsset + "/") { return false }
            let names =
                [cell.identifier] + (cell.isOwnCommand ? [cell.mode] : [])
                + (cell.isServer ? [cell.asset + "/" + cell.mode] : [])
            return names.contains { Self.matches(Array(pattern.utf8), Array($0.utf8)) }
        }

        /// Matches from left to right; after a mismatch the last `*` takes one more byte.
        private static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
            let star = UInt8(ascii: "*")
            var at = (pattern: 0, name: 0)
            var retry: (pattern: Int, name: Int)?
            while at.name < name.count {
                if at.pattern < pattern.count, pattern[at.pattern] == star {
                    retry = (at.pattern + 1, at.name)
                    at.pattern += 1
                } else if at.pattern < pattern.count, pattern[at.pattern] == name[at.name] {
                    at = (at.pattern + 1, at.name + 1)
                } else if let last = retry {
                    retry = (last.pattern, last.name + 1)
                    at = (last.pattern, last.name + 1)
                } else {
                    return false
                }
            }
            return pattern[at.pattern...].allSatisfy { $0 == star }
        }
    }

    enum Operator: String, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case over = "/"

        func unit(_ left: Metric.Unit, _ right: Metric.Unit) -> Metric.Unit? {
            switch self {
            case .plus, .minus: left == right ? left : nil
            case .times: left == .ratio ? right : right == .ratio ? left : nil
            case .over: right == .ratio ? left : left == right ? .ratio : nil
            }
        }

        func callAsFunction(_ left: Double, _ right: Double) -> Double {
            switch self {
            case .plus: left + right
            case .minus: left - right
            case .times: left * right
            case .over: left / right
            }
        }
    }

    struct Unit: Sendable {
        let unit: Metric.Unit
        let factor: Double

        private static let table: [(symbol: String, unit: Unit)] = [
            ("B", Unit(unit: .bytes, factor: 1)),
            ("KiB", Unit(unit: .bytes, factor: 1024)),
            ("MiB", Unit(unit: .bytes, factor: 1_048_576)),
            ("GiB", Unit(unit: .bytes, factor: 1_073_741_824)),
            ("ns", Unit(unit: .nanoseconds, factor: 1)),
            ("us", Unit(unit: .nanoseconds, factor: 1e3)),
            ("ms", Unit(unit: .nanoseconds, factor: 1e6)),
            ("s", Unit(unit: .nanoseconds, factor: 1e9)),
        ]

        static let symbols = table.map(\.symbol)

        /// Returns the unit of a symbol; sizes are matched case-insensitively.
        static func named(_ symbol: String) -> Unit? {
            let entry = table.first { entry in
                entry.symbol == symbol
                    || entry.unit.unit == .bytes && entry.symbol.lowercased() == symbol.lowercased()
            }
            return entry?.unit
        }

        static func isAmbiguous(_ symbol: String) -> Bool {
            ["k", "m", "g", "t", "kb", "mb", "gb", "tb"].contains(symbol.lowercased())
        }
    }

    /// A measured quantity of a budget: a metric, or the slope of a size sweep.
    struct Name: Sendable {
        let word: String
        let unit: Metric.Unit
        let metric: Metric?

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

    struct Term: Sendable {
        package indirect enum Kind: Sendable {
            case number(Double)
            case size
            case metric(Name)
            case function(Function, Name)
            case negated(Term)
            case combined(Term, Operator, Term, column: Int)
        }

        var kind: Kind
        var unit: Metric.Unit
        /// Its place in the text in scalars, including parentheses around it.
        var range: Range<Int>
        /// The number to report if the term lacks a unit: the term itself, or the first bare one of a sum.
        var bareNumber: FormulaLexer.Token?

        var names: [Name] {
            switch kind {
            case .number, .size: []
            case .metric(let name), .function(_, let name): [name]
            case .negated(let term): term.names
            case .combined(let left, _, let right, _): left.names + right.names
            }
        }

        var needsSweep: Bool { names.contains { $0.metric == nil } }

        var isOfOneTrial: Bool {
            switch kind {
            case .number, .size, .function: false
            // The slope is one figure of many cases.
            case .metric(let name): name.metric != nil
            case .negated(let term): term.isOfOneTrial
            case .combined(let left, _, let right, _): left.isOfOneTrial || right.isOfOneTrial
            }
        }

        var isNumber: Bool {
            if case .number = kind { true } else { false }
        }
    }

    enum Function: String, Sendable, CaseIterable {
        case max
        case min
        case median
    }

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
    package struct Expression: Sendable {
        package enum Relation: String, Codable, Hashable, Sendable {
            case atMost = "<="
            case below = "<"
            case atLeast = ">="
            case above = ">"

            var flipped: Relation {
                switch self {
                case .atMost: .atLeast
                case .below: .above
                case .atLeast: .atMost
                case .above: .below
                }
            }

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

        let measured: Term
        let limit: Term

        init(measured: Term, relation: Relation, limit: Term, scalars: [Unicode.Scalar]) {
            (self.measured, self.relation, self.limit) = (measured, relation, limit)
            unit = measured.unit
            measuredText = Self.text(of: measured, in: scalars)
            limitText = Self.text(of: limit, in: scalars)
            let names = (measured.names + limit.names).map(\.fullName)
            metrics = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        }

        var isOfOneTrial: Bool { measured.isOfOneTrial || limit.isOfOneTrial }

        var needsSweep: Bool { measured.needsSweep || limit.needsSweep }

        private static func text(of term: Term, in scalars: [Unicode.Scalar]) -> String {
            scalars[term.range].reduce(into: "") { $0.unicodeScalars.append($1) }
        }
    }
}

extension Budget: Hashable {
    package static func == (left: Budget, right: Budget) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Metric.Unit {
    var words: String {
        switch self {
        case .bytes: "bytes"
        case .nanoseconds: "a duration"
        case .ratio: "a pure number"
        }
    }
}
