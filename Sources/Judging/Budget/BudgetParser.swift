// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Reads a budget's expression by recursive descent, one function for each rule of the grammar, and checks its units.
struct BudgetParser {
    static let deepest = 64

    private let text: String
    private let scalars: [Unicode.Scalar]
    private let metrics: MetricCatalog
    private var lexer: FormulaLexer
    private var token: FormulaToken
    private var depth = 0

    init(_ text: String, scalars: [Unicode.Scalar], start: Int, metrics: MetricCatalog) {
        (self.text, self.metrics, self.scalars) = (text, metrics, scalars)
        lexer = FormulaLexer(scalars, start: start)
        token = lexer.next()
    }

    mutating func expression() throws -> BudgetExpression {
        let start = token
        let left = try sum()
        guard let relation = BudgetExpression.Relation(rawValue: token.text) else {
            throw expected("an operator or a comparison (<=, <, >=, >)")
        }
        advance()
        let right = try sum()
        guard BudgetExpression.Relation(rawValue: token.text) == nil else {
            throw mistake(token.column, "a budget has exactly one comparison")
        }
        guard token.kind == .end else { throw expected("an operator or the end of the budget") }
        try checkComparable(left, right)
        guard !left.names.isEmpty || !right.names.isEmpty else {
            throw mistake(start.column, "the budget has no metric to limit, such as peak")
        }
        return left.names.isEmpty
            ? BudgetExpression(measured: right, relation: relation.flipped, limit: left, scalars: scalars)
            : BudgetExpression(measured: left, relation: relation, limit: right, scalars: scalars)
    }

    private mutating func sum() throws -> BudgetTerm {
        var left = try product()
        while let sign = BudgetOperator(rawValue: token.text), sign == .plus || sign == .minus {
            let column = token.column
            advance()
            let right = try product()
            left = try combined(left, sign, right, column: column)
        }
        return left
    }

    private mutating func product() throws -> BudgetTerm {
        var left = try factor()
        while let sign = BudgetOperator(rawValue: token.text), sign == .times || sign == .over {
            let column = token.column
            advance()
            let right = try factor()
            left = try combined(left, sign, right, column: column)
        }
        return left
    }

    private mutating func factor() throws -> BudgetTerm {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw mistake(token.column, "parentheses and signs are nested deeper than \(Self.deepest)")
        }
        switch (token.kind, token.text) {
        case (.number, _): return try number()
        case (.word, _): return try name()
        case (.symbol, "-"):
            let start = token.start
            advance()
            let term = try factor()
            return BudgetTerm(
                kind: .negated(term), unit: term.unit, range: start..<term.range.upperBound,
                bareNumber: term.bareNumber)
        case (.symbol, "("):
            let start = token.start
            advance()
            var term = try sum()
            term.range = start..<token.end
            try take(")", orElse: "an operator or ')'")
            return term
        default: throw expected("a number, a metric, size or '('")
        }
    }
}

extension BudgetParser {
    private mutating func number() throws -> BudgetTerm {
        let literal = token
        var end = token.end
        advance()
        var unit: BudgetUnit?
        if token.kind == .word {
            unit = try self.unit(behind: literal)
            end = token.end
            advance()
        }
        guard let value = Double(literal.text), (value * (unit?.factor ?? 1)).isFinite else {
            throw mistake(literal.column, "\(literal.text) is too large")
        }
        return BudgetTerm(
            kind: .number(value * (unit?.factor ?? 1)), unit: unit?.unit ?? .ratio, range: literal.start..<end,
            bareNumber: unit == nil ? literal : nil)
    }

    private func unit(behind literal: FormulaToken) throws -> BudgetUnit {
        if let unit = BudgetUnit.named(token.text) { return unit }
        if BudgetUnit.isAmbiguous(token.text) {
            // `4 k` could mean 4,000, or 4 times k.
            throw mistake(
                token.column, "unit '\(token.text)' is ambiguous (1,000 or 1,024). Write KiB, MiB or GiB")
        }
        if BudgetName(token.text, of: metrics) != nil || token.text == BudgetName.size
            || BudgetFunction(rawValue: token.text) != nil
        {
            throw expected("an operator or a unit after \(literal.text)")
        }
        throw unknown("unit", token, BudgetUnit.symbols)
    }

    private mutating func name() throws -> BudgetTerm {
        let word = token
        let range = word.start..<word.end
        advance()
        if token.text == "(" || BudgetFunction(rawValue: word.text) != nil { return try function(word) }
        if word.text == BudgetName.size {
            return BudgetTerm(kind: .size, unit: .bytes, range: range)
        }
        let name = try metric(word)
        return BudgetTerm(kind: .metric(name), unit: name.unit, range: range)
    }

    private mutating func function(_ word: FormulaToken) throws -> BudgetTerm {
        guard let function = BudgetFunction(rawValue: word.text) else {
            throw unknown("function", word, BudgetFunction.allCases.map(\.rawValue))
        }
        try take("(", orElse: "'(' after \(word.text)")
        guard token.kind == .word, token.text != BudgetName.size else {
            throw expected("a metric in \(word.text)(…)")
        }
        let name = try metric(token)
        advance()
        let range = word.start..<token.end
        try take(")", orElse: "')': \(word.text) takes one metric")
        return BudgetTerm(kind: .function(function, name), unit: name.unit, range: range)
    }

    private func metric(_ word: FormulaToken) throws -> BudgetName {
        guard let name = BudgetName(word.text, of: metrics) else {
            let short = BudgetName.choices(metrics)
            throw unknown("metric", word, short + metrics.all.map(\.name), shown: short)
        }
        return name
    }

    private func combined(
        _ left: BudgetTerm, _ sign: BudgetOperator, _ right: BudgetTerm, column: Int
    ) throws -> BudgetTerm {
        guard let unit = sign.unit(left.unit, right.unit) else {
            if sign == .plus || sign == .minus { try checkBareNumbers(left, right) }
            throw mistake(
                column, "\(left.unit.words) \(sign.rawValue) \(right.unit.words) is not supported in a budget")
        }
        let isSum = sign == .plus || sign == .minus
        return BudgetTerm(
            kind: .combined(left, sign, right, column: column), unit: unit,
            range: left.range.lowerBound..<right.range.upperBound,
            bareNumber: isSum ? left.bareNumber ?? right.bareNumber : nil)
    }

    private func checkComparable(_ left: BudgetTerm, _ right: BudgetTerm) throws {
        guard left.unit != right.unit else { return }
        try checkBareNumbers(left, right)
        throw mistake(
            right.range.lowerBound + 1, "\(left.unit.words) cannot be compared with \(right.unit.words)")
    }

    private func checkBareNumbers(_ left: BudgetTerm, _ right: BudgetTerm) throws {
        for (term, other) in [(right, left), (left, right)] where term.unit == .ratio && term.names.isEmpty {
            guard let number = term.bareNumber else { continue }
            let unit = other.unit == .nanoseconds ? "ms" : "MiB"
            throw mistake(number.column, "\(number.text) has no unit; write \(number.text) \(unit)")
        }
    }

    private func expected(_ what: String) -> FetchBenchError {
        mistake(token.column, "expected \(what), found " + (token.found.map { "'\($0)'" } ?? "the end of the text"))
    }

    private func unknown(
        _ kind: String, _ word: FormulaToken, _ choices: [String], shown: [String]? = nil
    ) -> FetchBenchError {
        let hint =
            Suggestion.nearest(to: word.text, among: choices).map { "Did you mean '\($0)'?" }
            ?? "Choices: \((shown ?? choices).joined(separator: ", "))."
        return mistake(word.column, "unknown \(kind) '\(word.text)'. \(hint)")
    }

    private func mistake(_ column: Int, _ reason: String) -> FetchBenchError {
        Budget.mistake(in: text, column: column, reason)
    }

    private mutating func take(_ symbol: String, orElse what: String) throws {
        guard token.text == symbol else { throw expected(what) }
        advance()
    }

    private mutating func advance() { token = lexer.next() }
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
package struct BudgetExpression: Sendable {
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

    let measured: BudgetTerm
    let limit: BudgetTerm

    init(measured: BudgetTerm, relation: Relation, limit: BudgetTerm, scalars: [Unicode.Scalar]) {
        (self.measured, self.relation, self.limit) = (measured, relation, limit)
        unit = measured.unit
        measuredText = Self.text(of: measured, in: scalars)
        limitText = Self.text(of: limit, in: scalars)
        let names = (measured.names + limit.names).map(\.fullName)
        metrics = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    var isOfOneTrial: Bool { measured.isOfOneTrial || limit.isOfOneTrial }

    var needsSweep: Bool { measured.needsSweep || limit.needsSweep }

    private static func text(of term: BudgetTerm, in scalars: [Unicode.Scalar]) -> String {
        scalars[term.range].reduce(into: "") { $0.unicodeScalars.append($1) }
    }
}
