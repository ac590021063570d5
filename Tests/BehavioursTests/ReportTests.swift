// SPDX-License-Identifier: Apache-2.0

import Behaviours
import FetchBenchKit
import Foundation
import Testing

/// A report is drawn in three forms, and compared by its words alone.
@Suite struct Reports {
    private static func row(_ name: String, _ word: Word, _ detail: String = "2 of 5 | requests, \"all\"") throws
        -> BehaviourReport.Row
    {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == name })
        return BehaviourReport.Row(behaviour, Observation(word, detail), figures: Figures(Evidence()))
    }

    private static func report(_ words: [(String, Word)]) throws -> BehaviourReport {
        let environment = EnvironmentProbe.environment(
            temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil)
        return BehaviourReport(
            tool: "fetchbench", toolchain: BehaviourReport.Toolchain(environment),
            rows: try words.map { try row($0.0, $0.1) })
    }

    @Test func everyFormHasEveryRowAndItsWord() throws {
        let report = try Self.report([("caches", .broken), ("cancel-async-fast", .deadlocks), ("exists-kvo", .absent)])
        let markdown = try BehaviourFormat.markdown.text(of: report)
        #expect(markdown.contains("**deadlocks** | 2 of 5 \\| requests"))
        let csv = try BehaviourFormat.csv.text(of: report)
        #expect(csv.split(separator: "\n").count == 4)
        #expect(csv.contains("absent,\"2 of 5 | requests, \"\"all\"\"\""))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(try JSONDecoder().decode(BehaviourReport.self, from: Data(json.utf8)) == report)
    }

    @Test func whatWasInterruptedIsMarkedAndWhatWasAskedIsNamed() throws {
        var report = try Self.report([("caches", .broken), ("share", .notTried)])
        #expect(try !BehaviourFormat.markdown.text(of: report).contains("Incomplete"))
        #expect(try !BehaviourFormat.json.text(of: report).contains("incomplete"))
        report.isIncomplete = true
        report.toolchain.libcurl = LoadedLibraries.libcurl
        report.toolchain.compiler = "Swift version 6.3.1 (swift-6.3.1-RELEASE)"
        let markdown = try BehaviourFormat.markdown.text(of: report)
        #expect(markdown.contains("Incomplete: interrupted"))
        #expect(markdown.contains("libcurl/") && markdown.contains("Swift version 6.3.1"))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(json.contains("\"incomplete\" : true"))
        #expect(try JSONDecoder().decode(BehaviourReport.self, from: Data(json.utf8)) == report)
    }

    @Test(arguments: [
        ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "6.3", true), ("Swift version 6.3 (x)", "6.3", true),
        ("Apple Swift version 6.4-dev (y)", "6.3", false), ("Swift version 6.2.1", "6.3", false),
        ("Swift version 6.6", "6.5 or later", true), ("Swift version 6.4.2", "6.5 or later", false),
    ])
    func aCompilerIsTheOneOfTheBuildByItsMajorAndMinorVersion(line: String, build: String, isThat: Bool) throws {
        #expect(try #require(CompilerVersion(parsing: line)).isThat(ofBuild: build) == isThat)
    }

    @Test(arguments: ["", "Target: x86_64-unknown-linux-gnu", "Swift version", "Swift version six"])
    func aLineWithoutAVersionNamesNone(line: String) {
        #expect(CompilerVersion(parsing: line) == nil)
    }

    @Test func theSameWordsAreTheSameWhateverTheFigures() throws {
        let expectation = ExpectedWords(try Self.report([("caches", .broken)]))
        let observed = [try Self.row("caches", .broken, "4 of 5")]
        #expect(expectation.compare(with: observed, isWhole: true).answer == .same)
    }

    @Test(arguments: [(Word.broken, Word.holds), (.holds, .broken), (.deadlocks, .traps), (.absent, .holds)])
    func aWordThatChangesInEitherDirectionIsSaid(was: Word, isNow: Word) throws {
        let expectation = ExpectedWords(try Self.report([("caches", was), ("share", .holds)]))
        let (answer, lines) = expectation.compare(
            with: [try Self.row("caches", isNow), try Self.row("share", .holds)], isWhole: true)
        #expect(answer == .changed)
        #expect(lines.count == 1 && lines[0].hasPrefix("caches: was \(was.rawValue), is \(isNow.rawValue) now"))
    }

    @Test func whatCouldNotBeTriedOrIsMissingIsNoAnswer() throws {
        let expectation = ExpectedWords(
            try Self.report([("caches", .broken), ("share", .notTried), ("retry", .holds)]))
        func answer(_ rows: [(String, Word)], isWhole: Bool) throws -> ExpectedWords.Answer {
            expectation.compare(with: try rows.map { try Self.row($0.0, $0.1) }, isWhole: isWhole).answer
        }
        #expect(try answer([("caches", .notTried)], isWhole: false) == .incomplete)
        #expect(try answer([("share", .holds)], isWhole: false) == .incomplete)
        #expect(try answer([("catch", .holds)], isWhole: false) == .incomplete)
        #expect(try answer([("caches", .broken)], isWhole: true) == .incomplete)
        #expect(try answer([("caches", .broken)], isWhole: false) == .same)
        #expect(try answer([("caches", .holds), ("catch", .holds)], isWhole: false) == .changed)
    }

    @Test(arguments: ["", "[]", "{}", "{\"schema\":2,\"rows\":[]}", "{\"schema\":1,\"rows\":[]}"])
    func whatIsNoReportIsRefused(text: String) {
        #expect(throws: ExpectedWords.Malformed.self) { try ExpectedWords(parsing: Data(text.utf8)) }
    }
}
