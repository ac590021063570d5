// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing

private func expect(_ text: String, _ column: Int, _ message: String) {
    let shown = text.count > Budget.longestText ? "\(text.prefix(40))…" : text
    #expect(complaint(about: text)?.message == "budget \"\(shown)\", column \(column): \(message)")
}

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
    func errorsNameTheExpectationAndItsColumn(text: String, column: Int, message: String) {
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
    func unknownAndSuperfluousTextIsReported(text: String, column: Int, message: String) {
        expect(text, column, message)
    }

    @Test func aNameThatIsNearNoneShowsTheShortNames() {
        let message = complaint(about: "xylophone <= 4 MiB")?.message ?? ""
        #expect(
            message.contains("column 1: unknown metric 'xylophone'. Choices: peak, anonymous, baseline_anonymous, "))
        #expect(message.hasSuffix(", release_allocator_resident, size, slope."))
    }

    @Test(arguments: ["MB", "mb", "KB", "kB", "GB", "TB", "M", "k"])
    func unitsThatMeanTwoThingsAreRefused(symbol: String) {
        expect("peak <= 4 \(symbol)", 11, "unit '\(symbol)' is ambiguous (1,000 or 1,024). Write KiB, MiB or GiB")
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
            complaint(about: "\u{1B}[31m <= 4 MiB")?.description
                == "budget \"\\u{1b}[31m <= 4 MiB\", column 1: \(Self.operand)'\\u{1b}'")
        let long = complaint(about: String(repeating: "peak ", count: 300))
        #expect((long?.description.count ?? .max) < 120)
    }

    private func nested(_ depth: Int) -> String {
        "k <= " + String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)
    }
}

struct BudgetUnitTests {
    @Test(arguments: [
        ("peak <= 4", 9, "4 has no unit; write 4 MiB"),
        ("4 >= peak", 1, "4 has no unit; write 4 MiB"),
        ("peak <= 0", 9, "0 has no unit; write 0 MiB"),
        ("peak <= -4", 10, "4 has no unit; write 4 MiB"),
        ("peak <= (4)", 10, "4 has no unit; write 4 MiB"),
        ("peak <= 4 + 5", 9, "4 has no unit; write 4 MiB"),
        ("peak <= 1.2 * size + 4", 22, "4 has no unit; write 4 MiB"),
        ("peak <= 1e3 - size", 9, "1e3 has no unit; write 1e3 MiB"),
        ("fetch_cpu <= 5", 14, "5 has no unit; write 5 ms"),
        ("fetch_duration + 5 <= 1 s", 18, "5 has no unit; write 5 ms"),
        ("k <= 1 MiB", 6, "a pure number cannot be compared with bytes"),
        ("k <= 1 ms", 6, "a pure number cannot be compared with a duration"),
        ("k <= size", 6, "a pure number cannot be compared with bytes"),
        ("peak <= k", 9, "bytes cannot be compared with a pure number"),
        ("peak <= 2 * 4", 9, "bytes cannot be compared with a pure number"),
        ("peak <= size / 4 MiB", 9, "bytes cannot be compared with a pure number"),
        ("peak <= 4 s", 9, "bytes cannot be compared with a duration"),
        ("fetch_cpu <= (4 MiB)", 14, "a duration cannot be compared with bytes"),
        ("peak <= size * size", 14, "bytes * bytes is not supported in a budget"),
        ("peak <= 4 MiB * size / size", 15, "bytes * bytes is not supported in a budget"),
        ("peak <= size * 1 s", 14, "bytes * a duration is not supported in a budget"),
        ("k <= 1 / size", 8, "a pure number / bytes is not supported in a budget"),
        ("size / fetch_duration >= 1", 6, "bytes / a duration is not supported in a budget"),
        ("peak <= size + k", 14, "bytes + a pure number is not supported in a budget"),
        ("peak - 4 ms <= size", 6, "bytes - a duration is not supported in a budget"),
    ])
    func unitsThatDoNotFitAreRefused(text: String, column: Int, message: String) {
        expect(text, column, message)
    }

    @Test(arguments: [
        ("peak <= 4 MiB", Metric.Unit.bytes), ("peak / size <= 4", .ratio), ("k <= size / 4 MiB", .ratio),
        ("k * size <= 4 MiB", .bytes), ("size * k * 2 / 3 <= 4 MiB", .bytes),
        ("fetch_cpu / fetch_duration <= 2", .ratio),
        ("fetch_cpu <= 0.5 * fetch_duration", .nanoseconds), ("peak / k <= -(-size)", .bytes),
        ("slope <= 0.05", .ratio),
        ("4 MiB / 2 MiB * 3 s >= fetch_cpu", .nanoseconds),
    ])
    func unitsThatFitAreKept(text: String, unit: Metric.Unit) throws {
        #expect(try Budget(parsing: text).expression.unit == unit)
    }

    @Test(arguments: OurFigures.metrics.all.map { NamedUnit(name: $0.name, unit: $0.unit) })
    func everyMetricHasItsFullName(metric: NamedUnit) throws {
        let (unit, factor) = (metric.unit, [Metric.Unit.bytes: "B", .nanoseconds: "ns"][metric.unit] ?? "")
        let expression = try Budget(parsing: "\(metric.name) <= 4 \(factor)").expression
        #expect(expression.unit == unit)
        #expect(expression.metrics == [metric.name])
    }

    @Test(arguments: [
        ("peak", "net_peak_growth_bytes"), ("growth", "peak_resident_growth_bytes"), ("net_peak", "net_peak_bytes"),
        ("whole_peak", "peak_resident_bytes"), ("whole_anonymous", "peak_anonymous_bytes"),
        ("program_pages", "program_bytes"), ("baseline_program_pages", "baseline_program_bytes"),
        ("anonymous", "peak_anonymous_growth_bytes"),
        ("retained", "retained_resident_growth_bytes"), ("page_cache", "page_cache_bytes"),
        ("purged", "purged_resident_growth_bytes"), ("bitmap", "bitmap_bytes"),
        ("sampled_maximum", "sampled_maximum_resident_growth_bytes"),
        ("fetch_peak", "fetch_peak_resident_growth_bytes"),
        ("render_peak", "render_peak_resident_growth_bytes"), ("hold_anonymous", "hold_peak_anonymous_growth_bytes"),
        ("release_allocated", "release_allocator_allocated_bytes"),
        ("render_allocator_resident", "render_allocator_resident_bytes"),
        ("baseline_resident", "baseline_resident_bytes"), ("baseline_anonymous", "baseline_anonymous_bytes"),
        ("retained_anonymous", "retained_anonymous_growth_bytes"),
    ])
    func shortNamesOfSizes(short: String, full: String) throws {
        #expect(try Budget(parsing: "\(short) <= 4 MiB").expression.metrics == [full])
    }

    @Test func shortNamesOfTheRest() throws {
        #expect(try Budget(parsing: "k <= 1").expression.metrics == ["copies_held_ratio"])
        #expect(try Budget(parsing: "copies_beside_bitmap <= 1").expression.metrics == ["copies_beside_bitmap_ratio"])
        #expect(try Budget(parsing: "fetch_cpu <= 1 s").expression.metrics == ["fetch_cpu_ns"])
        #expect(try Budget(parsing: "fetch_duration <= 1 s").expression.metrics == ["fetch_duration_ns"])
        #expect(try Budget(parsing: "verification_cpu <= 1 s").expression.metrics == ["verification_cpu_ns"])
        #expect(try Budget(parsing: "process_duration <= 1 s").expression.metrics == ["process_duration_ns"])
        #expect(
            try Budget(parsing: "1 MiB + peak / 2 >= 1 MiB + max(anonymous) - peak").expression.metrics
                == ["net_peak_growth_bytes", "peak_anonymous_growth_bytes"])
    }

    struct NamedUnit: Sendable, CustomTestStringConvertible {
        let name: String
        let unit: Metric.Unit
        var testDescription: String { name }
    }
}

struct BudgetScopeTests {
    private static let hero = Case(asset: "hero", mode: "data", render: "imageview", allocator: .glibc)

    @Test(arguments: [
        "hero/data/imageview/glibc", "hero/data/*/glibc", "hero/*", "*/glibc", "*", "**", "h*o/data/*", "*data*",
        "hero/*/*/glibc", "hero/*/glibc", "*/*/*/*", "hero/data/imageview/glibc*", "*e*e*e*", "  hero/* ",
    ])
    func patternsThatMatch(pattern: String) throws {
        #expect(try budget(pattern).applies(to: Self.hero))
    }

    @Test(arguments: [
        "hero", "hero/data", "hero/data/*/glib", "Hero/*", "*/jemalloc", "ero/*", "hero/download/*", "*/*/*/*/*",
        "*e*e*e*e*", "hero/data/imageview/glibc/*", "hero/dat?/imageview/glibc", "none/*",
    ])
    func patternsThatDoNot(pattern: String) throws {
        #expect(try !budget(pattern).applies(to: Self.hero))
    }

    @Test func theEndOfAnAllocatorIsItsEnd() throws {
        var pinned = Self.hero
        pinned.allocator = .glibcPinned
        #expect(try !budget("*/glibc").applies(to: pinned))
        #expect(try budget("*/glibc*").applies(to: pinned))
    }

    @Test func theNullCaseIsLimitedByNameOnly() throws {
        let null = Case.null(on: .glibc)
        #expect(try !Budget(parsing: "peak <= 1 MiB").applies(to: null))
        #expect(try Budget(parsing: "peak <= 1 MiB").applies(to: Self.hero))
        for pattern in ["*", "*/glibc", "n*"] { #expect(try !budget(pattern).applies(to: null)) }
        for pattern in ["none/*", "none/none/none/glibc"] { #expect(try budget(pattern).applies(to: null)) }
    }

    private static let plain = [
        Case.plain("sort", on: .glibc), .plain("sort", on: .jemalloc),
        .plain("sort", with: [.init("threads", "2")], on: .glibc),
    ]

    @Test(arguments: ["sort", "sort*", "s*t", "*", "sort/*", " sort "])
    func theNameOfACommandMeansAllOfItsCases(pattern: String) throws {
        for cell in Self.plain { #expect(try budget(pattern).applies(to: cell), "\(cell.identifier)") }
    }

    @Test(arguments: [
        "sor", "sorted", "Sort", "none/*", "none/sort/none/glibc", "sort/none/*", "*/sort/*", "threads=2",
    ])
    func anotherNameMeansNoneOfThem(pattern: String) throws {
        for cell in Self.plain { #expect(try !budget(pattern).applies(to: cell), "\(cell.identifier)") }
    }

    @Test func aCaseOfACommandIsMeantByItsIdentifier() throws {
        for (pattern, expected) in [
            ("sort/glibc", [true, false, false]), ("sort/jemalloc", [false, true, false]),
            ("sort/glibc/threads=2", [false, false, true]), ("sort/*/threads=*", [false, false, true]),
            ("*/glibc", [true, false, false]),
        ] {
            #expect(try Self.plain.map { try budget(pattern).applies(to: $0) } == expected, "\(pattern)")
        }
        #expect(try Self.plain.allSatisfy { try Budget(parsing: "peak <= 1 MiB").applies(to: $0) })
    }

    @Test func theNameOfACommandIsNoOtherCase() throws {
        let budget = try budget("sort")
        let others = [
            Self.hero, .null(on: .glibc), .plain("sort2", on: .glibc),
            Case(asset: "hero", mode: "sort", render: "none", allocator: .glibc),
        ]
        #expect(others.allSatisfy { !budget.applies(to: $0) })
    }

    @Test func theLastColonEndsTheScope() throws {
        let odd = Case(asset: "a: b", mode: "data", render: "none", allocator: .glibc)
        let budget = try Budget(parsing: "a: b/*: peak <= 1 MiB")
        #expect(budget.scope?.pattern == "a: b/*")
        #expect(budget.applies(to: odd))
        #expect(!budget.applies(to: Self.hero))
    }

    /// A pattern that would take for ever by trying every way to share the text among its stars.
    @Test func manyStarsTakeNoTime() throws {
        let long = Case(asset: String(repeating: "a", count: 5000), mode: "m", render: "r", allocator: .glibc)
        let stars = String(repeating: "*a", count: 400)
        #expect(try !budget(stars + "*b").applies(to: long))
        #expect(try budget(stars + "*c").applies(to: long))
    }

    private func budget(_ pattern: String) throws -> Budget {
        try Budget(parsing: pattern + ": peak <= 1 MiB")
    }
}
