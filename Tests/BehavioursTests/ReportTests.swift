// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import OperatingSystem
import Probes
import Runs
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

    /// What was seen is told by a program that may be anybody's.
    @Test func noEvidenceIsTakenForMarkup() throws {
        let hostile = "=1+1\n::error::x\u{1B}[31m|<script>\u{202E}##[error]`"
        var report = try Self.report([("caches", .broken)])
        report.rows = [try Self.row("caches", .broken, hostile)]
        report.toolchain.kernel = hostile
        report.tool = hostile
        for format in BehaviourFormat.allCases {
            let text = try format.text(of: report)
            #expect(
                !text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E }, "\(format)")
            #expect(!text.contains("##[") && !text.contains("\n::"), "\(format)")
            #expect(format == .json || format == .csv || !text.contains("<script>"))
        }
        #expect(try BehaviourFormat.csv.text(of: report).contains("'=1+1"))
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
        var observed = try Self.report([("caches", .broken)])
        observed.rows[0].detail = "4 of 5"
        observed.toolchain.kernel = "another"
        let comparison = expectation.compare(with: observed, isWhole: true)
        #expect(comparison.answer == .same && comparison.lines.isEmpty)
    }

    @Test(arguments: [
        (Word.broken, Word.holds, "better"), (.holds, .broken, "worse"),
        (.deadlocks, .traps, "not kept in another way"),
        (.absent, .holds, "better"), (.holds, .blocks, "worse"),
    ])
    func aWordThatChangesIsSaidWithItsDirection(was: Word, isNow: Word, direction: String) throws {
        var before = try Self.report([("caches", was), ("share", .holds)])
        // A choice of rows may ask no compiler: that is no other toolchain.
        before.toolchain.compiler = "Swift version 6.3.1"
        let expectation = ExpectedWords(before)
        var observed = try Self.report([("caches", isNow), ("share", .holds)])
        observed.toolchain.libcurl = "libcurl/9"
        let (answer, lines) = expectation.compare(with: observed, isWhole: true)
        #expect(answer == .changed)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("caches: was \(was.rawValue), is \(isNow.rawValue) now (\(direction)): "))
        #expect(lines[1].contains("1 \(direction)") && lines[1].contains("1 the same, 0 not compared"))
        #expect(lines[2] == "the toolchain is another one: libcurl: unknown then, libcurl/9 now")
    }

    /// What is chance: the words that its flaw shows as are as good as one, and no other.
    @Test func whatIsChanceIsTheSameWhicheverOfItsWordsIsSeen() throws {
        let expectation = ExpectedWords(try Self.report([("cancel-async-fast", .deadlocks)]))
        func answer(_ word: Word) throws -> ExpectedWords.Answer {
            expectation.compare(with: try Self.report([("cancel-async-fast", word)]), isWhole: true).answer
        }
        #expect(try answer(.deadlocks) == .same)
        #expect(try answer(.traps) == .same)
        #expect(try answer(.holds) == .changed)
        #expect(try answer(.broken) == .changed)
        // Of a toolchain that has mended it nothing else is accepted.
        let mended = ExpectedWords(try Self.report([("cancel-async-fast", .holds)]))
        let now = try Self.report([("cancel-async-fast", .traps)])
        #expect(mended.compare(with: now, isWhole: true).answer == .changed)
    }

    @Test func sharesOfAllAttemptsAreTold() throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "cancel-async-fast" })
        let trap = Evidence(ending: .signalled(4), complaint: "Fatal error")
        let stuck = Evidence(ending: .killedAtLimit)
        let row = BehaviourReport.Row(behaviour, [stuck, trap, trap])
        #expect(row.word == .traps && row.attempts == ["deadlocks": 1, "traps": 2])
        #expect(row.detail.hasPrefix("deadlocks in 1, traps in 2 of 3 attempts; for example: ended by signal 4"))
        #expect(row.accepts == [.deadlocks, .traps] && row.cause != nil && row.upstream?.contains("#5412") == true)
        // One attempt that breaks the promise is enough, and of as many the word that comes first.
        let fine = try #require(MadeUp.cancel.first { $0.name == "cancel-async-fast" }).holds
        #expect(BehaviourReport.Row(behaviour, [fine, fine, trap]).word == .traps)
        #expect(BehaviourReport.Row(behaviour, [trap, stuck]).word == .deadlocks)
        let kept = BehaviourReport.Row(behaviour, [fine, fine])
        #expect(kept.word == .holds && kept.cause == nil && kept.accepts == nil)
        let untried = BehaviourReport.Row(behaviour, [Evidence(ending: .exited(2)), trap])
        #expect(untried.word == .traps)
    }

    @Test func causesStandBesideWhatDoesNotHoldAndNowhereElse() throws {
        let report = try Self.report([("caches", .broken), ("request-timeout", .holds), ("share", .broken)])
        let markdown = try BehaviourFormat.markdown.text(of: report)
        #expect(markdown.contains("| HTTPURLProtocol.swift:539 says notAllowed"))
        #expect(markdown.contains("| swift-corelibs-foundation#3484; pull request #2401 | `caches` |"))
        #expect(markdown.contains("|  |  | `request-timeout` |"))
        let csv = try BehaviourFormat.csv.text(of: report)
        #expect(csv.hasPrefix("name,path,promise,word,detail,cause,upstream,accepts\n"))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(json.contains("\"upstream\" : \"swift-corelibs-foundation#3484; pull request #2401\""))
        #expect(try Self.report([("caches", .holds)]).rows[0].cause == nil)
    }

    @Test func everyWordIsDefinedInTheHead() throws {
        let markdown = try BehaviourFormat.markdown.text(of: Self.report([("caches", .broken)]))
        let head = try #require(markdown.firstRange(of: "\n## "))
        for word in Word.allCases {
            #expect(markdown[..<head.lowerBound].contains("- **\(word.rawValue)**: \(word.meaning)"))
        }
    }

    @Test(arguments: [
        ("x\0GCC: (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0\0clang", "Ubuntu 11.4.0-1ubuntu1~22.04.2"),
        ("GCC: (Debian 12", nil), ("GNU C17", nil), ("", nil),
    ])
    func thePlatformOfAToolchainIsThatOfItsCompiler(library: String, platform: String?) {
        #expect(LoadedLibraries.platform(inLibrary: Data(library.utf8)) == platform)
    }

    @Test func whatCouldNotBeTriedOrIsMissingIsNoAnswer() throws {
        let expectation = ExpectedWords(
            try Self.report([("caches", .broken), ("share", .notTried), ("retry", .holds)]))
        func answer(_ rows: [(String, Word)], isWhole: Bool) throws -> ExpectedWords.Answer {
            expectation.compare(with: try Self.report(rows), isWhole: isWhole).answer
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
