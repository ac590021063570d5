// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Testing
import Texts

enum MemoryLimit: Hashable, Sendable {
    /// The growth of its process while it runs.
    case peak(PeakLimit)
    /// The memory that each of many runs leaves allocated.
    case leak(LeakLimit)
}

struct PeakLimit: Hashable, Sendable {
    enum Growth: Hashable, Sendable {
        case bytes(ByteCount)
        case formula(String, size: ByteCount?)
    }

    var growth: Growth
    /// The time limit of a process of the test; `nil` for the default.
    var timeLimit: Duration?

    func bytes() throws(LimitFormula.Fault) -> ByteCount {
        switch growth {
        case .bytes(let bytes): bytes
        case .formula(let text, let size): try LimitFormula.bytes(of: text, size: size)
        }
    }

    /// The formula as written, or `nil` for a number of bytes.
    var words: String? {
        switch growth {
        case .bytes: nil
        case .formula(let text, let size): text + (size.map { ", size \($0.exactText)" } ?? "")
        }
    }
}

struct LeakLimit: Hashable, Sendable {
    /// The fewest readings that make a line.
    static let fewestRepetitions = 20

    /// In bytes, as the allocator counts them.
    var bytesPerRepetition: Int
    var repetitions: Int
    /// The time limit of a process with all repetitions; `nil` for the default.
    var timeLimit: Duration?

    /// The number of runs before them, so that memory that is allocated once and kept does not count as a leak.
    var warmUp: Int { max(10, repetitions / 4) }

    /// The number of repetitions that has to confirm a rise.
    ///
    /// A pool that fills rises like a leak, but not for as long: libdispatch keeps up to 1,024 blocks per thread, and
    /// takes one or two each time a task is resumed on another thread.
    private var confirming: Int { max(2 * repetitions, 1600) }

    /// Returns the work of a process: as requested for the first one, more for one that confirms, as far as half of its
    /// time limit allows.
    func work(confirming isConfirming: Bool, _ time: ChildTimeLimit) -> ChildScope.SeriesWork {
        ChildScope.SeriesWork(
            warmUp: warmUp, repetitions: isConfirming ? confirming : repetitions, fewest: repetitions,
            seconds: time.seconds / 2)
    }
}

/// The limits of a test: the last one of each kind, because a test's own traits follow those of its suites.
struct EffectiveLimits: Sendable {
    private(set) var peak: PeakLimit?
    private(set) var leak: LeakLimit?

    init(_ limits: [MemoryLimit]) {
        for limit in limits {
            switch limit {
            case .peak(let limit): peak = limit
            case .leak(let limit): leak = limit
            }
        }
    }
}

/// A limit written as a formula of a size: `1.2 * size + 4 MiB`.
///
///     sum     = product { ("+" | "-") product }
///     product = factor { ("*" | "/") factor }
///     factor  = "-" factor | number [unit] | "size" | "(" sum ")"
///     unit    = "B" | "KiB" | "MiB" | "GiB"
///
/// This is the right side of `peak <=` in a budget, with the same lexer. The parser of budgets also knows metrics and
/// trials, which a test does not have.
package struct LimitFormula {
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let text: String
        package let column: Int
        package let reason: String

        package var description: String {
            SafeText.forTerminal("limit \"\(text.prefix(200))\", column \(column): \(reason)")
        }
    }

    /// A number, either of bytes or pure.
    private struct Quantity {
        var value: Double
        var isBytes: Bool
    }

    /// The limit of nested parentheses and signs, as in budgets.
    private static let deepest = 64
    private static let units: [String: Double] = ["b": 1, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824]

    private let text: String
    private let size: ByteCount?
    private var lexer: FormulaLexer
    private var token: FormulaLexer.Token
    private var depth = 0

    /// Evaluates a formula in bytes; `size` may be `nil` if the formula does not use it.
    package static func bytes(of text: String, size: ByteCount?) throws(Fault) -> ByteCount {
        var formula = LimitFormula(text, size)
        let result = try formula.sum()
        guard formula.token.kind == .end else { throw formula.expected("an operator or the end") }
        guard result.isBytes else {
            throw Fault(text: text, column: 1, reason: "it is a pure number; a limit is in bytes, such as 4 MiB")
        }
        guard result.value >= 0, let bytes = Int(exactly: result.value.rounded(.down)) else {
            throw Fault(text: text, column: 1, reason: "\(result.value) bytes is not a valid limit")
        }
        return ByteCount(bytes)
    }

    private init(_ text: String, _ size: ByteCount?) {
        (self.text, self.size) = (text, size)
        lexer = FormulaLexer(Array(text.unicodeScalars), start: 0)
        token = lexer.next()
    }

    private mutating func sum() throws(Fault) -> Quantity {
        var left = try product()
        while token.text == "+" || token.text == "-" {
            let sign = token
            advance()
            let right = try product()
            guard left.isBytes == right.isBytes else {
                throw fault(at: sign, "bytes \(sign.text) a pure number has no meaning; is a unit missing?")
            }
            left.value += sign.text == "+" ? right.value : -right.value
        }
        return left
    }

    private mutating func product() throws(Fault) -> Quantity {
        var left = try factor()
        while token.text == "*" || token.text == "/" {
            let sign = token
            advance()
            let right = try factor()
            left = try sign.text == "*" ? multiplied(left, right, sign) : divided(left, right, sign)
        }
        return left
    }

    private func multiplied(_ left: Quantity, _ right: Quantity, _ sign: FormulaLexer.Token) throws(Fault) -> Quantity {
        guard !left.isBytes || !right.isBytes else { throw fault(at: sign, "bytes * bytes has no meaning") }
        return Quantity(value: left.value * right.value, isBytes: left.isBytes || right.isBytes)
    }

    private func divided(_ left: Quantity, _ right: Quantity, _ sign: FormulaLexer.Token) throws(Fault) -> Quantity {
        guard left.isBytes || !right.isBytes else { throw fault(at: sign, "a pure number / bytes has no meaning") }
        guard right.value != 0 else { throw fault(at: sign, "division by zero") }
        return Quantity(value: left.value / right.value, isBytes: left.isBytes && !right.isBytes)
    }

    private mutating func factor() throws(Fault) -> Quantity {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw fault(at: token, "it is nested deeper than \(Self.deepest)") }
        switch (token.kind, token.text) {
        case (.number, _): return try number()
        case (.word, "size"):
            guard let size else { throw fault(at: token, "no size was given: .peakMemory(under:size:)") }
            advance()
            return Quantity(value: Double(size.rawValue), isBytes: true)
        case (.symbol, "-"):
            advance()
            var term = try factor()
            term.value.negate()
            return term
        case (.symbol, "("):
            advance()
            let term = try sum()
            guard token.text == ")" else { throw expected("an operator or ')'") }
            advance()
            return term
        default: throw expected("a number, size or '('")
        }
    }

    private mutating func number() throws(Fault) -> Quantity {
        guard let value = Double(token.text), value.isFinite else { throw fault(at: token, "it is too large") }
        advance()
        guard token.kind == .word else { return Quantity(value: value, isBytes: false) }
        guard let factor = Self.units[token.text.lowercased()] else {
            throw fault(at: token, "unknown unit '\(token.text)'. Choices: B, KiB, MiB, GiB.")
        }
        advance()
        return Quantity(value: value * factor, isBytes: true)
    }

    private mutating func advance() { token = lexer.next() }

    private func expected(_ what: String) -> Fault {
        fault(at: token, "expected \(what), found " + (token.found.map { "'\($0)'" } ?? "the end of the text"))
    }

    private func fault(at token: FormulaLexer.Token, _ reason: String) -> Fault {
        Fault(text: text, column: token.column, reason: reason)
    }
}

/// The time limit of a process that runs a test with limits, and its source.
package struct ChildTimeLimit: Hashable, Sendable {
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let timeLimit: Duration

        package var description: String {
            "invalid timeLimit: \(timeLimit): expected more than 0 and at most \(ChildTimeLimit.most) s"
        }
    }

    private enum Source: Hashable { case usual, test, trait }

    /// Enough for memory tests, and short enough to notice one that hangs.
    private static let usual = 60
    private static let most = 604_800
    /// The time after a test's own limit, at which the testing library ends the test itself and reports it.
    private static let grace = 30

    package let seconds: Int
    private let source: Source

    /// Uses the trait's limit, else slightly more than the test's, else the default.
    package init(trait: Duration?, test: Duration?) throws(Fault) {
        guard let trait else {
            seconds = test.map { Self.whole($0) + Self.grace } ?? Self.usual
            source = test == nil ? .usual : .test
            return
        }
        guard trait > .zero, trait <= .seconds(Self.most) else { throw Fault(timeLimit: trait) }
        seconds = Self.whole(trait)
        source = .trait
    }

    /// The source of the limit, and how to set another one.
    package var words: String {
        switch source {
        case .usual:
            "the default time limit; set another with timeLimit: of the trait, such as timeLimit: .seconds(300)"
        case .test: "the test's .timeLimit and \(Self.grace) s more"
        case .trait: "timeLimit: of the trait"
        }
    }

    private static func whole(_ duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
