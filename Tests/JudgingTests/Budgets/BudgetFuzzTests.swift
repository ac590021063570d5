// SPDX-License-Identifier: Apache-2.0

import Judging
import Statistics
import Testing

struct BudgetFuzzTests {
    @Test func randomBytesAreErrorsWithAColumnInsideTheText() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...80, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let error = complaint(about: text) else {
                Issue.record("\(bytes) is a budget")
                continue
            }
            expectInside(error, text)
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

    private func expectInside(_ error: BudgetError, _ text: String) {
        #expect((1...text.unicodeScalars.count + 1).contains(error.column), "\(text)")
        #expect(!error.reason.description.isEmpty)
    }
}
