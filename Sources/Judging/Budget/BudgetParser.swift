// SPDX-License-Identifier: Apache-2.0

import Runs

/// Reads a budget's expression by recursive descent, one function for each rule of the grammar, and checks its units.
struct BudgetParser {
    static let deepest = 64

    private let text: String
    private let scalars: [Unicode.Scalar]
    private let metrics: MetricCatalog
    private var lexer: FormulaLexer
    private var token: FormulaLexer.Token
    private var depth = 0

    init(_ text: String, scalars: [Unicode.Scalar], start: Int, metrics: MetricCatalog) {
        (self.text, self.metrics, self.scalars) = (text, metrics, scalars)
        lexer = FormulaLexer(scalars, start: start)
        token = lexer.next()
    }

    mutating func expression() throws -> Budget.Expression {
        let start = token
        let left = try sum()
        guard let relation = Budget.Expression.Relation(rawValue: token.text) else {
            throw expected("an operator or a comparison (<=, <, >=, >)")
        }
        advance()
        let right = try sum()
        guard Budget.Expression.Relation(rawValue: token.text) == nil else {
            throw mistake(token.column, "a budget has exactly one comparison")
        }
        guard token.kind == .end else { throw expected("an operator or the end of the budget") }
        try checkComparable(left, right)
        guard !left.names.isEmpty || !right.names.isEmpty else {
            throw mistake(start.column, "the budget has no metric to limit, such as peak")
        }
        return left.names.isEmpty
            ? Budget.Expression(measured: right, relation: relation.flipped, limit: left, scalars: scalars)
            : Budget.Expression(measured: left, relation: relation, limit: right, scalars: scalars)
    }

    private mutating func sum() throws -> Budget.Term {
        var left = try product()
        while let sign = Budget.Operator(rawValue: token.text), sign == .plus || sign == .minus {
            let column = token.column
            advance()
            let right = try product()
            left = try combined(left, sign, right, column: column)
        }
        return left
    }

    private mutating func product() throws -> Budget.Term {
        var left = try factor()
        while let sign = Budget.Operator(rawValue: token.text), sign == .times || sign == .over {
            let column = token.column
            advance()
            let right = try factor()
            left = try combined(left, sign, right, column: column)
        }
        return left
    }

    private mutating func factor() throws -> Budget.Term {
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
            return Budget.Term(
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
    private mutating func number() throws -> Budget.Term {
        let literal = token
        var end = token.end
        advance()
        var unit: Budget.Unit?
        if token.kind == .word {
            unit = try self.unit(behind: literal)
            end = token.end
            advance()
        }
        guard let value = Double(literal.text), (value * (unit?.factor ?? 1)).isFinite else {
            throw mistake(literal.column, "\(literal.text) is too large")
        }
        return Budget.Term(
            kind: .number(value * (unit?.factor ?? 1)), unit: unit?.unit ?? .ratio, range: literal.start..<end,
            bareNumber: unit == nil ? literal : nil)
    }

    private func unit(behind literal: FormulaLexer.Token) throws -> Budget.Unit {
        if let unit = Budget.Unit.named(token.text) { return unit }
        if Budget.Unit.isAmbiguous(token.text) {
            // `4 k` could mean 4,000, or 4 times k.
            throw mistake(
                token.column, "unit '\(token.text)' is ambiguous (1,000 or 1,024). Write KiB, MiB or GiB")
        }
        if Budget.Name(token.text, of: metrics) != nil || token.text == Budget.Name.size
            || Budget.Function(rawValue: token.text) != nil
        {
            throw expected("an operator or a unit after \(literal.text)")
        }
        throw unknown("unit", token, Budget.Unit.symbols)
    }

    private mutating func name() throws -> Budget.Term {
        let word = token
        let range = word.start..<word.end
        advance()
        if token.text == "(" || Budget.Function(rawValue: word.text) != nil { return try function(word) }
        if word.text == Budget.Name.size {
            return Budget.Term(kind: .size, unit: .bytes, range: range)
        }
        let name = try metric(word)
        return Budget.Term(kind: .metric(name), unit: name.unit, range: range)
    }

    private mutating func function(_ word: FormulaLexer.Token) throws -> Budget.Term {
        guard let function = Budget.Function(rawValue: word.text) else {
            throw unknown("function", word, Budget.Function.allCases.map(\.rawValue))
        }
        try take("(", orElse: "'(' after \(word.text)")
        guard token.kind == .word, token.text != Budget.Name.size else {
            throw expected("a metric in \(word.text)(…)")
        }
        let name = try metric(token)
        advance()
        let range = word.start..<token.end
        try take(")", orElse: "')': \(word.text) takes one metric")
        return Budget.Term(kind: .function(function, name), unit: name.unit, range: range)
    }

    private func metric(_ word: FormulaLexer.Token) throws -> Budget.Name {
        guard let name = Budget.Name(word.text, of: metrics) else {
            let short = Budget.Name.choices(metrics)
            throw unknown("metric", word, short + metrics.all.map(\.name), shown: short)
        }
        return name
    }

    private func combined(
        _ left: Budget.Term, _ sign: Budget.Operator, _ right: Budget.Term, column: Int
    ) throws -> Budget.Term {
        guard let unit = sign.unit(left.unit, right.unit) else {
            if sign == .plus || sign == .minus { try checkBareNumbers(left, right) }
            throw mistake(
                column, "\(left.unit.words) \(sign.rawValue) \(right.unit.words) is not supported in a budget")
        }
        let isSum = sign == .plus || sign == .minus
        return Budget.Term(
            kind: .combined(left, sign, right, column: column), unit: unit,
            range: left.range.lowerBound..<right.range.upperBound,
            bareNumber: isSum ? left.bareNumber ?? right.bareNumber : nil)
    }

    private func checkComparable(_ left: Budget.Term, _ right: Budget.Term) throws {
        guard left.unit != right.unit else { return }
        try checkBareNumbers(left, right)
        throw mistake(
            right.range.lowerBound + 1, "\(left.unit.words) cannot be compared with \(right.unit.words)")
    }

    private func checkBareNumbers(_ left: Budget.Term, _ right: Budget.Term) throws {
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
        _ kind: String, _ word: FormulaLexer.Token, _ choices: [String], shown: [String]? = nil
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
