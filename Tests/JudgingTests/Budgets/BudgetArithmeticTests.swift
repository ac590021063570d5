// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import TestSupport
import Testing

@Suite(.ownThreads) struct BudgetArithmeticTests {
    private static let sides: [Metric.Unit: (metric: String, value: String)] = [
        .bytes: ("peak", "4000000.0"), .ratio: ("k", "0.4"), .nanoseconds: ("fetch_duration", "200000000.0"),
    ]

    /// Precedence, associativity, signs, parentheses and units: every bit of 300 limits, and what follows from them.
    @Test func limitsAreWhatPythonMakesOfThem() throws {
        let questions = questions(count: 300)
        let answers = try Python.evaluate(questions.flatMap { [$0.limit, $0.verdict] })
        try #require(answers.count == 2 * questions.count)
        let run = try BudgetRun.record(peaks: [4_000_000])
        var seen: [String: Int] = [:]
        for (index, question) in questions.enumerated() {
            let finding = try BudgetRun.finding(question.budget, in: run)
            let (limit, verdict) = (answers[2 * index], answers[2 * index + 1])
            seen[verdict, default: 0] += 1
            if case .unanswerable(let reason) = finding.outcome {
                #expect(limit == "zero", "\(question.budget)")
                #expect(reason.hasPrefix("division by zero at column "))
            } else {
                #expect(finding.limit == Double(limit), "\(question.budget)")
                #expect(finding.outcome == (verdict == "True" ? .within : .exceeded), "\(question.budget)")
            }
        }
        for verdict in ["True", "False", "zero"] { #expect(seen[verdict, default: 0] > 20, "\(verdict) is among them") }
    }

    /// Budgets over random formulas, and what to ask Python about each.
    private func questions(count: Int) -> [(budget: String, limit: String, verdict: String)] {
        var formulas = RandomFormula(seed: 2026, size: BudgetRun.size)
        var questions: [(budget: String, limit: String, verdict: String)] = []
        while questions.count < count {
            let unit = formulas.pick([Metric.Unit.bytes, .ratio, .nanoseconds])
            let (budget, python) = formulas.sum(unit, depth: 3)
            guard let (metric, value) = Self.sides[unit], budget.count < 900 else { continue }
            let relation = formulas.pick(["<=", "<", ">=", ">"])
            questions.append(("\(metric) \(relation) \(budget)", python, "\(value) \(relation) (\(python))"))
        }
        return questions
    }

    @Test(
        arguments: [
            ("k <= 10 - 4 - 3", 3), ("k <= 64 / 4 / 2", 8), ("k <= 2 + 3 * 4", 14), ("k <= (2 + 3) * 4", 20),
            ("k <= 12 / 4 * 3", 9), ("k <= -2 * -3", 6), ("k <= --5", 5), ("k <= 2 - -3", 5), ("k <= -(2 + 3)", -5),
            ("k <= 1e3", 1000), ("k <= 2.5E-1", 0.25), ("k <= 1E+2", 100),
            ("k <= size / 1 MiB", 10_000_000 / 1_048_576),
            ("k <= size / size", 1), ("k<=\t2\n", 2), ("k <= 1 s / 1 ms", 1000),
            ("peak <= 1.2 * size + 4 MiB", 16_194_304),
            ("peak <= size / 4", 2_500_000), ("peak <= 3B + 2KiB", 2051), ("peak <= 1 gib", 1_073_741_824),
            ("fetch_cpu <= 2 s + 3 ms + 4 us + 5 ns", 2_003_004_005), ("fetch_cpu <= fetch_duration / 2", 100_000_000),
        ] as [(String, Double)])
    func aLimitHasItsValue(text: String, limit: Double) throws {
        let finding = try BudgetRun.finding(text, in: BudgetRun.record(peaks: [4_000_000]))
        #expect(finding.limit == limit)
    }

    @Test(arguments: [
        ("peak <= size / 0", "division by zero at column 14"),
        ("peak / (k - k) <= 4 MiB", "division by zero at column 6"),
        ("k <= 0 / 0", "division by zero at column 8"),
        ("k <= 1 / -0", "division by zero at column 8"),
        ("k <= 1 / 1e-400", "division by zero at column 8"),
        ("k <= 1e308 * 10", "the result at column 12 is too large"),
        ("k <= 1e308 + 1e308 - 1e308 - 1e308", "the result at column 12 is too large"),
        ("k >= -1e308 - 1e308", "the result at column 13 is too large"),
        ("k <= 1 / 1e-309", "the result at column 8 is too large"),
        ("slope <= 0.05", "slope needs a sweep of at least 3 sizes, which this case is not part of"),
        ("max(slope) >= 0", "slope needs a sweep of at least 3 sizes, which this case is not part of"),
        ("retained <= 1 MiB", "trial 1 has no retained"),
        ("peak - bitmap >= -1 GiB", "trial 1 has no bitmap"),
        ("min(page_cache_bytes) >= 0 B", "trial 1 has no page_cache_bytes"),
    ])
    func budgetsWithoutAValueDoNotPass(text: String, reason: String) throws {
        let finding = try BudgetRun.finding(text, in: BudgetRun.record(peaks: [4_000_000]))
        #expect(finding.outcome == .unanswerable(reason))
        #expect(finding.measured == nil && finding.limit == nil && finding.trials == 1)
    }

    @Test func anUnknownSizeIsNoPass() throws {
        let finding = try BudgetRun.finding("peak <= 99 * size", in: BudgetRun.record(peaks: [1], size: nil))
        #expect(finding.outcome == .unanswerable("the size of its asset is unknown"))
        let empty = try BudgetRun.finding("peak / size <= 1", in: BudgetRun.record(peaks: [1], size: 0))
        #expect(empty.outcome == .unanswerable("division by zero at column 6"))
    }
}

struct BudgetFuzzTests {
    @Test func randomBytesAreErrorsWithAColumnInsideTheText() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...80, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let text = String(decoding: bytes, as: UTF8.self)
            expectInside(try #require(complaint(about: text), "\(bytes) is a budget"), text)
        }
    }

    /// Words of the grammar in any order: the few that are budgets are judged, and none passes without its figures.
    @Test func randomWordsAreErrorsOrCanBeJudged() throws {
        let words = [
            "peak", "k", "size", "slope", "max(", "min(", "median(", "(", ")", "+", "-", "*", "/", "<=", "<", ">=", ">",
            "4", "0", "1e3", "MiB", "ms", "hero/*:", ":", "1e308", "anonymous", "fetch_cpu", " ", " ", "\u{301}",
        ]
        let run = try BudgetRun.record(peaks: [4_000_000, 9_000_000])
        var generator = SeededGenerator(seed: 2)
        var budgets = 0
        for round in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let soup = (0..<count).map { _ in words[Int.random(in: words.indices, using: &generator)] }
            let text = (round.isMultiple(of: 2) ? ["peak", "<="] + soup : soup).joined(separator: " ")
            guard complaint(about: text).map({ expectInside($0, text) }) == nil else { continue }
            budgets += 1
            for finding in BudgetJudge.findings(for: [try Budget(parsing: text)], in: run) {
                if case .unanswerable = finding.outcome { continue }
                #expect(finding.measured?.isFinite == true && finding.limit?.isFinite == true, "\(text)")
            }
        }
        #expect(budgets > 50)
    }

    /// Every budget of which one byte was lost, doubled or replaced.
    @Test(arguments: [
        "hero/data/*/glibc: peak <= 1.2 * size + 4 MiB", "max(anonymous) / size < 1.5e-1 + (k - 2)",
        "fetch_cpu >= -3 ms * (size / 1 GiB)",
    ])
    func aSlipOfTheKeyboardDoesNotTrap(text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for replacement in [[], [bytes[index], bytes[index]], [0], [0x28], [0x2D], [0x39], [0xFF]] {
                var slipped = bytes
                slipped.replaceSubrange(index...index, with: replacement)
                let slip = String(decoding: slipped, as: UTF8.self)
                if let error = complaint(about: slip) { expectInside(error, slip) }
            }
        }
        #expect(complaint(about: text) == nil)
    }

    private func expectInside(_ error: FetchBenchError, _ text: String) {
        let column = error.message.matches(of: /, column (\d+): ./).last.flatMap { Int($0.1) } ?? 0
        #expect((1...text.unicodeScalars.count + 1).contains(column), "\(text)")
    }
}
