// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing

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
