// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Testing

struct BudgetErrorTests {
    private static let operand = "expected a number, a metric, size or '(', found "
    private static let comparison = "expected an operator or a comparison (<=, <, >=, >), found "
    private static let rest = "expected an operator or the end of the budget, found "

    @Test(arguments: [
        ("", 1, operand + "the end of the text"),
        ("   ", 4, operand + "the end of the text"),
        ("<= 4 MiB", 1, operand + "'<='"),
        ("peak", 5, comparison + "the end of the text"),
        ("peak 4 MiB", 6, comparison + "'4'"),
        ("peak = 4 MiB", 6, comparison + "'='"),
        ("peak =< 4 MiB", 6, comparison + "'='"),
        ("peak ≤ 4 MiB", 6, comparison + "'≤'"),
        ("peak != 4 MiB", 6, comparison + "'!'"),
        ("peak <=", 8, operand + "the end of the text"),
        ("peak <= ", 9, operand + "the end of the text"),
        ("peak <= * 4 MiB", 9, operand + "'*'"),
        ("peak <= +4 MiB", 9, operand + "'+'"),
        ("peak <= .5 * size", 9, operand + "'.'"),
        ("peak <= 4 MiB +", 16, operand + "the end of the text"),
        ("peak <= 4 MiB 5", 15, rest + "'5'"),
        ("peak <= 4 MiB MiB", 15, rest + "'MiB'"),
        ("peak <= 4. MiB", 10, rest + "'.'"),
        ("peak <= 1.5.2 MiB", 12, rest + "'.'"),
        ("peak <= size)", 13, rest + "')'"),
        ("peak <= (size", 14, "expected an operator or ')', found the end of the text"),
        ("(peak <= size)", 7, "expected an operator or ')', found '<='"),
        ("peak <= ()", 10, operand + "')'"),
        ("peak <= 2 size", 11, "expected an operator or a unit after 2, found 'size'"),
        ("k <= 2 max(k)", 8, "expected an operator or a unit after 2, found 'max'"),
    ])
    func whatIsExpectedAndWhere(text: String, column: Int, message: String) {
        expect(text, column, message)
    }

    @Test(arguments: [
        ("max <= 4 MiB", 5, "expected '(' after max, found '<='"),
        ("max() <= 4 MiB", 5, "expected a metric in max(…), found ')'"),
        ("min(4 MiB) <= peak", 5, "expected a metric in min(…), found '4'"),
        ("median(size) <= 4 MiB", 8, "expected a metric in median(…), found 'size'"),
        ("max(peak, k) <= 4 MiB", 9, "expected ')': max takes one metric, found ','"),
        ("max(peak + peak) <= 4 MiB", 10, "expected ')': max takes one metric, found '+'"),
        ("max(peak <= 4 MiB", 10, "expected ')': max takes one metric, found '<='"),
        ("peek <= 4 MiB", 1, "unknown metric 'peek'. Did you mean 'peak'?"),
        ("Peak <= 4 MiB", 1, "unknown metric 'Peak'. Did you mean 'peak'?"),
        ("max(anonimous) <= 4 MiB", 5, "unknown metric 'anonimous'. Did you mean 'anonymous'?"),
        ("peak <= 2 * sise", 13, "unknown metric 'sise'. Did you mean 'size'?"),
        (
            "peak_resident_grwth_bytes <= 1 MiB", 1,
            "unknown metric 'peak_resident_grwth_bytes'. Did you mean 'peak_resident_growth_bytes'?"
        ),
        ("maxi(peak) <= 4 MiB", 1, "unknown function 'maxi'. Did you mean 'max'?"),
        ("peak(k) <= 4 MiB", 1, "unknown function 'peak'. Choices: max, min, median."),
        ("peak <= 4 MiiB", 11, "unknown unit 'MiiB'. Did you mean 'MiB'?"),
        ("fetch_cpu <= 4msec", 15, "unknown unit 'msec'. Did you mean 'ms'?"),
        ("fetch_cpu <= 3 fortnights", 16, "unknown unit 'fortnights'. Choices: B, KiB, MiB, GiB, ns, us, ms, s."),
        ("peak <= size <= 4 MiB", 14, "a budget has exactly one comparison"),
        ("1 MiB <= 2 MiB", 1, "the budget has no metric to limit, such as peak"),
        ("hero/*: size <= 2 MiB", 9, "the budget has no metric to limit, such as peak"),
        ("peak <= 1e999 B", 9, "1e999 is too large"),
        ("peak <= 1e308 GiB", 9, "1e308 is too large"),
        (": peak <= 4 MiB", 1, "expected a scope before the colon, such as hero/data/*/glibc"),
        ("hero/*: peek <= 4 MiB", 9, "unknown metric 'peek'. Did you mean 'peak'?"),
        ("hero/*:", 8, operand + "the end of the text"),
        ("\u{FC}ber/*: peek <= 4 MiB", 9, "unknown metric 'peek'. Did you mean 'peak'?"),
    ])
    func whatIsUnknownOrTooMuch(text: String, column: Int, message: String) {
        expect(text, column, message)
    }

    @Test func aNameThatIsNearNoneShowsTheShortNames() {
        let message = complaint(about: "xylophone <= 4 MiB")?.reason.description ?? ""
        #expect(message.hasPrefix("unknown metric 'xylophone'. Choices: peak, anonymous, baseline_anonymous, "))
        #expect(message.hasSuffix(", release_allocator_resident, size, slope."))
    }

    @Test(arguments: ["MB", "mb", "KB", "kB", "GB", "TB", "M", "k"])
    func unitsThatMeanTwoThingsAreRefused(symbol: String) {
        expect(
            "peak <= 4 \(symbol)", 11,
            "unit '\(symbol)' is ambiguous (1,000 or 1,024). Write KiB, MiB or GiB")
    }

    @Test func lengthAndDepthHaveLimits() {
        let chain = "k <= 1" + String(repeating: "+1", count: (Budget.longestText - 6) / 2)
        #expect(complaint(about: chain) == nil)
        expect(chain + "+1", 1001, "a budget has at most 1000 characters")
        #expect(complaint(about: nested(63)) == nil)
        expect(nested(64), 70, "parentheses and signs are nested deeper than 64")
        expect(
            "k <= " + String(repeating: "-", count: 900) + "1", 70, "parentheses and signs are nested deeper than 64")
    }

    @Test func anErrorNamesTheBudgetAndCannotReachTheTerminal() {
        #expect(
            complaint(about: "peek <= 4 MiB")?.description
                == "budget \"peek <= 4 MiB\", column 1: unknown metric 'peek'. Did you mean 'peak'?")
        #expect(
            complaint(about: "\u{1B}[31m <= 4 MiB")?.description
                == "budget \"\\u{1b}[31m <= 4 MiB\", column 1: \(Self.operand)'\\u{1b}'")
        let long = complaint(about: String(repeating: "peak ", count: 300))
        #expect((long?.description.count ?? .max) < 120)
    }

    private func nested(_ depth: Int) -> String {
        "k <= " + String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)
    }

    private func expect(_ text: String, _ column: Int, _ message: String) {
        let error = complaint(about: text)
        #expect(error?.column == column, "\(text)")
        #expect(error?.reason.description == message, "\(text)")
        #expect(error?.text == text)
    }
}
