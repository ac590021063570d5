// SPDX-License-Identifier: Apache-2.0

import Runs
import TestSupport

/// Random formulas that follow the grammar and its units, each as a budget and as Python words it.
struct RandomFormula {
    typealias Texts = (budget: String, python: String)

    private static let units: [Metric.Unit: [(symbol: String, factor: String)]] = [
        .bytes: [("B", "1.0"), ("KiB", "1024.0"), ("MiB", "1048576.0"), ("GiB", "1073741824.0")],
        .nanoseconds: [("ns", "1.0"), ("us", "1e3"), ("ms", "1e6"), ("s", "1e9")],
    ]

    private var generator: SeededGenerator
    private let size: Int

    init(seed: UInt64, size: Int) {
        generator = SeededGenerator(seed: seed)
        self.size = size
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &generator)]
    }

    /// Terms of one unit, added and subtracted; parentheses stand only where the dice put them.
    mutating func sum(_ unit: Metric.Unit, depth: Int) -> Texts {
        var texts = product(unit, depth: depth)
        for _ in 0..<pick([0, 0, 1, 1, 2, 3]) {
            join(&texts, pick(["+", "-"]), product(unit, depth: depth))
        }
        return texts
    }

    /// Pure numbers before and behind the one factor that has the unit; of a pure number, bytes ÷ bytes at times.
    private mutating func product(_ unit: Metric.Unit, depth: Int) -> Texts {
        var texts: Texts
        if unit == .ratio, pick([true, false, false]) {
            texts = factor(.bytes, depth: depth)
            join(&texts, "/", factor(.bytes, depth: depth))
        } else if unit != .ratio, pick([true, false]) {
            texts = factor(.ratio, depth: depth)
            if pick([true, false]) { join(&texts, pick(["*", "/"]), factor(.ratio, depth: depth)) }
            join(&texts, "*", factor(unit, depth: depth))
        } else {
            texts = factor(unit, depth: depth)
        }
        for _ in 0..<pick([0, 0, 1, 2]) {
            join(&texts, pick(["*", "/"]), factor(.ratio, depth: depth))
        }
        return texts
    }

    private mutating func factor(_ unit: Metric.Unit, depth: Int) -> Texts {
        switch pick(depth > 0 ? [0, 0, 1, 2, 2] : [0, 0, 0, 1]) {
        case 1:
            let (budget, python) = depth > 0 ? factor(unit, depth: depth - 1) : literal(unit)
            return ("-" + budget, "-" + python)
        case 2:
            let (budget, python) = sum(unit, depth: depth - 1)
            return ("(" + budget + ")", "(" + python + ")")
        default: return literal(unit)
        }
    }

    private mutating func literal(_ unit: Metric.Unit) -> Texts {
        if unit == .bytes, pick([true, false, false]) { return ("size", "\(size).0") }
        let number = pick(["0", "1", "2", "3", "7", "12", "0.5", "1.25", "0.1", "1e3", "2.5e-3", "1E+2"])
        let python = number.contains(where: { ".eE".contains($0) }) ? number : number + ".0"
        guard let named = Self.units[unit].map({ pick($0) }) else { return (number, python) }
        return (number + pick(["", " "]) + named.symbol, "(\(python)*\(named.factor))")
    }

    private mutating func join(_ texts: inout Texts, _ sign: String, _ other: Texts) {
        let space = pick(["", " "])
        texts.budget += space + sign + space + other.budget
        texts.python += sign + other.python
    }
}

/// The second opinion on arithmetic: Python's own `eval`, one line of input for each line of output.
enum Python {
    /// The value of each expression; `zero` where it divides by zero.
    static func evaluate(_ expressions: [String]) throws -> [String] {
        let program = """
            import sys
            for line in sys.stdin.read().splitlines():
                try:
                    print(repr(eval(line)))
                except ZeroDivisionError:
                    print("zero")
            """
        let asked = Array(expressions.joined(separator: "\n").utf8)
        let answer = try TestProcess.run("/usr/bin/python3", ["-c", program], input: asked).text
        return answer.split(separator: "\n").map(String.init)
    }
}
