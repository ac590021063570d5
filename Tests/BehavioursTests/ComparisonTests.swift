// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Testing

@Suite struct Comparisons {
    @Test func theSameWordsAreTheSameWhateverTheFigures() throws {
        let expectation = try Reports.report([("caches", .broken)])
        var observed = try Reports.report([("caches", .broken)])
        observed.rows[0].detail = "4 of 5"
        observed.toolchain.kernel = "another"
        let comparison = BehaviourComparison(from: expectation, to: observed, isWhole: true)
        #expect(comparison.answer == .same && comparison.lines.isEmpty)
    }

    @Test(arguments: [
        (Verdict.broken, Verdict.holds, "better"), (.holds, .broken, "worse"),
        (.deadlocks, .traps, "not kept in another way"),
        (.absent, .holds, "better"), (.holds, .blocks, "worse"),
    ])
    func aWordThatChangesIsSaidWithItsDirection(was: Verdict, isNow: Verdict, direction: String) throws {
        var before = try Reports.report([("caches", was), ("share", .holds)])
        // A choice of rows may ask no compiler: that is no other toolchain.
        before.toolchain.compiler = "Swift version 6.3.1"
        var observed = try Reports.report([("caches", isNow), ("share", .holds)])
        observed.toolchain.libcurl = "libcurl/9"
        let comparison = BehaviourComparison(from: before, to: observed, isWhole: true)
        let (answer, lines) = (comparison.answer, comparison.lines)
        #expect(answer == .changed)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("caches: was \(was.rawValue), is \(isNow.rawValue) now (\(direction)): "))
        #expect(lines[1].contains("1 \(direction)") && lines[1].contains("1 the same, 0 not compared"))
        #expect(lines[2] == "the toolchain is another one: libcurl: unknown then, libcurl/9 now")
    }

    @Test func varyingBehavioursAcceptAnyOfTheirWords() throws {
        let expectation = try Reports.report([("cancel-async-fast", .deadlocks)])
        func answer(_ word: Verdict) throws -> BehaviourComparison.Answer {
            BehaviourComparison(from: expectation, to: try Reports.report([("cancel-async-fast", word)]), isWhole: true)
                .answer
        }
        #expect(try answer(.deadlocks) == .same)
        #expect(try answer(.traps) == .same)
        #expect(try answer(.holds) == .changed)
        #expect(try answer(.broken) == .changed)
        // Of a toolchain that has mended it nothing else is accepted.
        let mended = try Reports.report([("cancel-async-fast", .holds)])
        let now = try Reports.report([("cancel-async-fast", .traps)])
        #expect(BehaviourComparison(from: mended, to: now, isWhole: true).answer == .changed)
    }

    /// Whether a document promises what was seen is no property of the toolchain.
    @Test func keptMemoryIsTheSameWithAndWithoutADocument() throws {
        let expectation = try Reports.report([("share", .holds)])
        #expect(
            BehaviourComparison(from: expectation, to: try Reports.report([("share", .asItIs)]), isWhole: true).answer
                == .same)
        let worse = BehaviourComparison(from: expectation, to: try Reports.report([("share", .hazard)]), isWhole: true)
        #expect(worse.answer == .changed && worse.lines[0].contains("(worse)"))
    }

    @Test func untriedAndMissingRowsAreNoAnswer() throws {
        let expectation = try Reports.report([("caches", .broken), ("share", .notTried), ("retry", .holds)])
        func answer(_ rows: [(String, Verdict)], isWhole: Bool) throws -> BehaviourComparison.Answer {
            BehaviourComparison(from: expectation, to: try Reports.report(rows), isWhole: isWhole).answer
        }
        #expect(try answer([("caches", .notTried)], isWhole: false) == .incomplete)
        #expect(try answer([("share", .holds)], isWhole: false) == .incomplete)
        #expect(try answer([("catch", .holds)], isWhole: false) == .incomplete)
        #expect(try answer([("caches", .broken)], isWhole: true) == .incomplete)
        #expect(try answer([("caches", .broken)], isWhole: false) == .same)
        #expect(try answer([("caches", .holds), ("catch", .holds)], isWhole: false) == .changed)
    }

    @Test func everyKindOfDifferenceIsInEveryForm() throws {
        let before = try Reports.report([
            ("caches", .broken), ("share", .holds), ("unauthorized", .hangs), ("retry", .holds),
            ("redirects", .notTried),
            ("tight-header", .broken),
        ])
        var now = try Reports.report([
            ("caches", .holds), ("share", .traps), ("unauthorized", .deadlocks), ("retry", .holds),
            ("redirects", .holds),
            ("disposition", .hazard),
        ])
        now.toolchain.libcurl = "libcurl/9"
        let comparison = BehaviourComparison(from: before, to: now, isWhole: true)
        #expect(comparison.rows.map(\.change) == [.better, .worse, .other, .same, .notCompared, .onlyNow, .onlyThen])
        #expect(comparison.counts == "1 better, 1 worse, 1 not kept in another way, 1 the same, 3 not compared")
        let json = try BehaviourFormat.json.text(of: comparison)
        #expect(try JSONDecoder().decode(BehaviourComparison.self, from: Data(json.utf8)) == comparison)
        let markdown = try BehaviourFormat.markdown.text(of: comparison)
        #expect(
            markdown.contains("| better | caches | broken | holds | ")
                && markdown.contains("| libcurl | unknown | libcurl/9 |"))
        #expect(
            markdown.contains("| only in the earlier table | tight-header | broken |  | ")
                && !markdown.contains("retry"))
        let table = try BehaviourFormat.table.text(of: comparison)
        #expect(table.split(separator: "\n").dropFirst().first?.hasPrefix("better ") == true)
        let csv = try BehaviourFormat.csv.text(of: comparison)
        #expect(csv.split(separator: "\n").count == 8 && csv.contains(",worse,holds,traps,"))
        let html = try BehaviourFormat.html.text(of: comparison)
        #expect(html.contains("<tr id=\"row-retry\">") && html.contains("class=\"word choice\">change</th>"))
    }

    @Test func rowsThatWereNotAskedForAreNoDifference() throws {
        let before = try Reports.report([("caches", .broken), ("share", .holds)])
        let some = BehaviourComparison(from: before, to: try Reports.report([("share", .holds)]), isWhole: false)
        #expect(some.answer == .same && some.rows.count == 1)
        #expect(try BehaviourFormat.markdown.text(of: some).contains("## Rows that differ\n\nNone.\n"))
    }
}
