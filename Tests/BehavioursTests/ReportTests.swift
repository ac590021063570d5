// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Origin
import ProbeProtocol
import Probes
import Runs
import Testing

@Suite struct Reports {
    static func row(_ name: String, _ word: Verdict, _ detail: String = "2 of 5 | requests, \"all\"") throws
        -> BehaviourReport.Row
    {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == name })
        return BehaviourReport.Row(behaviour, Observation(word, detail), figures: Figures(Evidence()))
    }

    static func report(_ words: [(String, Verdict)]) throws -> BehaviourReport {
        let environment = EnvironmentProbe.environment(
            temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil)
        return BehaviourReport(
            tool: "fetchbench", toolchain: BehaviourReport.Toolchain(environment),
            rows: try words.map { try row($0.0, $0.1) })
    }

    @Test func everyFormHasEveryRowAndItsWord() throws {
        let report = try Self.report([("caches", .broken), ("cancel-async-fast", .deadlocks), ("exists-kvo", .absent)])
        let markdown = try BehaviourFormat.markdown.text(of: report)
        #expect(markdown.contains("| deadlocks | 2 of 5 \\| requests"))
        let csv = try BehaviourFormat.csv.text(of: report)
        #expect(csv.split(separator: "\n").count == 4)
        #expect(csv.contains("absent,\"2 of 5 | requests, \"\"all\"\"\""))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(try BehaviourReport(parsing: Data(json.utf8)) == report)
        let html = try BehaviourFormat.html.text(of: report)
        #expect(html.contains("<td class=\"word\">deadlocks<") && html.contains("<tr id=\"row-exists-kvo\">"))
        let table = try BehaviourFormat.table.text(of: report)
        #expect(table.contains("\nexists-kvo         absent     2 of 5") && table.hasSuffix("1 deadlocks\n"))
    }

    /// The page names everything that the table in Markdown does, and links what leads to a page.
    @Test func pageLinksDocumentsIssuesAndWorkarounds() throws {
        let report = try Self.report([
            ("suspend-resume-handler", .broken), ("resume-by-range", .holds), ("caches", .broken),
        ])
        let html = try BehaviourFormat.html.text(of: report)
        let issues = "https://github.com/swiftlang/swift-corelibs-foundation/issues"
        for part in [
            "<p class=\"answer\">3 rows: 1 holds, 2 broken.</p>", "<body class=\"wide\">",
            "<th scope=\"col\" class=\"word choice\">observed</th>",
            "<a href=\"https://developer.apple.com/documentation/foundation/urlsessiontask/suspend()\">Apple, ",
            "<a href=\"\(issues)/3484\">swift-corelibs-foundation#3484</a> (closed, not done); <a href=",
            "cancel, and ask for the rest (<a href=\"#row-resume-by-range\">resume-by-range</a>)",
            "<strong>hazard</strong>:",
        ] { #expect(html.contains(part), "\(part)") }
        // A page without the workaround's row does not lead to it.
        let alone = try BehaviourFormat.html.text(of: Self.report([("suspend-resume-handler", .broken)]))
        #expect(alone.contains("(resume-by-range)"))
    }

    /// Observations come from a program that is not trusted.
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
            let scripts = text.ranges(of: "<script>").count
            #expect(format == .html ? scripts == 1 : format != .markdown || scripts == 0, "\(format)")
        }
        #expect(try BehaviourFormat.csv.text(of: report).contains("'=1+1"))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(try JSONDecoder().decode(BehaviourReport.self, from: Data(json.utf8)) == report)
    }

    @Test func interruptedRowsAreMarkedAndRequestedOnesNamed() throws {
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
        #expect(try #require(Compiler.Version(parsing: line)).isThat(ofBuild: build) == isThat)
    }

    @Test(arguments: ["", "Target: x86_64-unknown-linux-gnu", "Swift version", "Swift version six"])
    func aLineWithoutAVersionNamesNone(line: String) {
        #expect(Compiler.Version(parsing: line) == nil)
    }

    @Test func sharesOfAllAttemptsAreTold() throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "cancel-async-fast" })
        let trap = Evidence(ending: .signalled(4), complaint: "Fatal error")
        let stuck = Evidence(ending: .killedAtLimit)
        let row = BehaviourReport.Row(behaviour, [stuck, trap, trap])
        #expect(row.word == .traps && row.attempts == ["deadlocks": 1, "traps": 2])
        #expect(row.detail.hasPrefix("deadlocks in 1, traps in 2 of 3 attempts; for example: ended by signal 4"))
        #expect(
            row.accepts == [.deadlocks, .traps] && row.cause != nil && row.upstream?.map(\.number) == [5412, 5417])
        // One attempt that breaks the promise is enough, and of as many the word that comes first.
        let fine = try #require(MadeUp.cancel.first { $0.name == "cancel-async-fast" }).holds
        #expect(BehaviourReport.Row(behaviour, [fine, fine, trap]).word == .traps)
        #expect(BehaviourReport.Row(behaviour, [trap, stuck]).word == .deadlocks)
        let kept = BehaviourReport.Row(behaviour, [fine, fine])
        #expect(kept.word.isKept && kept.cause == nil && kept.accepts == nil)
        let untried = BehaviourReport.Row(behaviour, [Evidence(ending: .exited(2)), trap])
        #expect(untried.word == .traps)
    }

    @Test func causesStandBesideWhatDoesNotHoldAndNowhereElse() throws {
        let report = try Self.report([("caches", .broken), ("request-timeout", .holds), ("share", .broken)])
        let markdown = try BehaviourFormat.markdown.text(of: report)
        #expect(markdown.contains("| HTTPURLProtocol.swift:539 says notAllowed"))
        let issues = "https://github.com/swiftlang/swift-corelibs-foundation/issues"
        #expect(
            markdown.contains("| [swift-corelibs-foundation#3484](\(issues)/3484) (closed, not done); [swift-corelibs"))
        let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(rows.contains { $0.hasPrefix("| request-timeout |") && $0.hasSuffix("|  |  |  |  |") })
        // A deviation without an explaining flaw.
        #expect(rows.contains { $0.hasPrefix("| share |") && $0.hasSuffix("| unknown | none found | none | none |") })
        let csv = try BehaviourFormat.csv.text(of: report)
        #expect(
            csv.hasPrefix(
                "name,path,promise,word,detail,cause,upstream,accepts,documented_by,documented_at,fixed_in,workaround,"
                    + "workaround_row\n"))
        #expect(
            csv.contains("swift-corelibs-foundation#3484 (closed, not done); swift-corelibs-foundation#2401 (merged)"))
        #expect(csv.contains("unknown,none found,,"))
        let json = try BehaviourFormat.json.text(of: report)
        #expect(json.contains("\"number\" : 3484") && json.contains("\"fixed_in\" : \"none\""))
        #expect(try Self.report([("caches", .holds)]).rows[0].cause == nil)
        #expect(try Self.report([("caches", .notTried)]).rows[0].workaround == nil)
    }

    /// A trap is not explained by the cause of a wrong answer.
    @Test func aCauseExplainsTheWordsOfItsFlawOnly() throws {
        let row = try Self.row("caches", .traps)
        #expect(
            row.cause == "unknown" && row.upstream == [] && row.fixedIn == "none" && row.workaround == Workaround.none)
        let known = try Self.row("tight-header", .broken)
        #expect(known.fixedIn == "6.4" && known.workaround?.row == "tight-header-ahc")
    }

    @Test func theHeadCountsRowsByWord() throws {
        let report = try Self.report([
            ("caches", .broken), ("share", .holds), ("retry", .holds), ("order-zip", .asItIs),
        ])
        let lines = try BehaviourFormat.markdown.text(of: report).split(separator: "\n")
        #expect(lines[2] == "4 rows: 2 holds, 1 as it is, 1 broken.")
    }

    /// An address with brackets is one link; a document that promises something else is quoted.
    @Test func everyFormNamesTheDocument() throws {
        let report = try Self.report([("share", .holds), ("suspend-resume-data", .hazard), ("order-zip", .asItIs)])
        let markdown = try BehaviourFormat.markdown.text(of: report)
        let address = "https://developer.apple.com/documentation/combine/publisher/share"
        #expect(markdown.contains("| [Apple, Publisher.share()](\(address)%28%29) | holds |"))
        #expect(markdown.contains(" (no promise: tasks other than downloads must start over when resumed) | hazard |"))
        #expect(markdown.contains("| none | as it is |"))
        #expect(try BehaviourFormat.csv.text(of: report).contains("\"Apple, Publisher.share()\",\(address)(),"))
        #expect(try BehaviourFormat.json.text(of: report).contains("\"documented_by\" : {"))
    }

    @Test func aTableOfAnotherSchemaIsRefusedWithBothNumbers() throws {
        let current = BehaviourReport.currentSchema
        for other in [current - 1, current + 1] {
            let text = "{\"schema\":\(other),\"rows\":[]}"
            let failure = #expect(throws: FetchBenchError.self) {
                try BehaviourReport(parsing: Data(text.utf8))
            }
            #expect(failure?.message == "it has schema \(other), and this version reads \(current)")
        }
    }

    @Test func everyWordIsDefinedInTheHead() throws {
        let markdown = try BehaviourFormat.markdown.text(of: Self.report([("caches", .broken)]))
        let head = try #require(markdown.firstRange(of: "\n## URLSession"))
        for word in Verdict.allCases {
            #expect(markdown[..<head.lowerBound].contains("- **\(word.rawValue)**: \(word.meaning)"))
        }
    }

    @Test(arguments: [
        ("x\0GCC: (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0\0clang", "Ubuntu 22.04 (GCC 11.4.0)"),
        ("GCC: (Ubuntu 13.2.0-23ubuntu4) 13.2.0", "Ubuntu (GCC 13.2.0-23ubuntu4)"),
        ("GCC: (Debian 12.2.0-14) 12.2.0", "Debian (GCC 12.2.0-14)"), ("GCC: (GNU) 11.3.1", "GNU"),
        ("GCC: (Debian 12", nil), ("GNU C17", nil), ("", nil),
    ])
    func thePlatformOfAToolchainIsThatOfItsCompiler(library: String, platform: String?) {
        #expect(LoadedLibraries.platform(inLibrary: Data(library.utf8)) == platform)
    }

    @Test(arguments: ["", "[]", "{}", "{\"schema\":1,\"rows\":[]}", "{\"schema\":2}"])
    func invalidReportsAreRefused(text: String) {
        #expect(throws: FetchBenchError.self) { try BehaviourReport(parsing: Data(text.utf8)) }
    }
}

@Suite struct AppleAPIsPage {
    private static let page = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/apple-apis.md")

    @Test func everyRowThatItNamesExists() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: "|") }
        let names = lines.filter { $0.count == 4 }.flatMap { columns in
            columns[3].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
        #expect(names.count > 40)
        let known = Set(BehaviourCatalog.all.map(\.name))
        #expect(names.filter { !known.contains($0) } == [])
    }
}

@Suite struct BugReports {
    private static func report(
        _ name: String, _ evidence: Evidence, _ run: ProgramRun, workaround: BehaviourReport.Row? = nil
    ) throws -> BugReport {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == name })
        let environment = EnvironmentProbe.environment(
            temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil)
        return BugReport(
            row: BehaviourReport.Row(behaviour, [evidence]), evidence: evidence,
            program: try #require(MinimalProgram(for: behaviour)), run: run, tool: "fetchbench",
            toolchain: BehaviourReport.Toolchain(
                environment, libcurl: "libcurl/7.88.1", platform: "Ubuntu 22.04", compiler: "Swift version 6.3.1"),
            system: "Debian 12", workaround: workaround)
    }

    private static func request(_ path: String) -> RequestRecord {
        RequestRecord(
            number: 1, connection: 1, method: "GET", path: path, headers: [:], status: 200, beganNanoseconds: 0,
            endedNanoseconds: 1_500_000_000, bytesSent: ByteCount(3), ending: .complete)
    }

    @Test func everythingThatWasObservedIsInTheReport() throws {
        let evidence = Evidence(
            requests: [Self.request("/faults/tight-header")], marks: [Reading("after", residentBytes: 5 << 20)],
            facts: [Fact("error", "-1")])
        let run = ProgramRun(
            output: ["expected: 3 bytes; got: error -1"], ending: .exited(1),
            requests: [Self.request("/faults/tight-header")], duration: 1_200_000_000)
        let other = try #require(BehaviourCatalog.all.first { $0.name == "tight-header-ahc" })
        let workaround = BehaviourReport.Row(other, Observation(.holds, "1 request"))
        let text = try Self.report("tight-header", evidence, run, workaround: workaround).markdown
        for part in [
            "# URLSession data task: broken: A response header", "- Toolchain: Swift version 6.3.1\n",
            "- URLSession built on: Ubuntu 22.04\n", "- libcurl, as loaded: libcurl/7.88.1\n", "- System: Debian 12\n",
            "Documented by: [RFC 9112, 5](https://",
            "| `GET /faults/tight-header` |  | 200 | 3 | complete | 1.5 s | 1 |",
            "| `after` | 5.0 MiB |", "```swift\nimport Foundation\nimport FoundationNetworking\n",
            "It exited with status 1 after 1.2 s and printed:\n\n```\nexpected: 3 bytes; got: error -1\n```",
            "HTTPMessage.swift:406", "Fixed in: 6.4.", "fetchbench serve --port 8080",
            "Tried just now by `fetchbench behaviours --only tight-header-ahc`: **holds**",
        ] { #expect(text.contains(part), "\(part) is not in\n\(text)") }
    }

    @Test func aMissingAPIIsReportedWithTheCompilersWords() throws {
        let complaint = "value of type 'URLSession' has no member 'bytes'"
        let evidence = Evidence(ending: .exited(1), complaint: complaint)
        let text = try Self.report(
            "exists-bytes-async", evidence, ProgramRun(ending: .exited(1), complaint: complaint)
        ).markdown
        #expect(text.contains("`swiftc -typecheck exists-bytes-async.swift`, just now:\n\n```\n\(complaint)\n```"))
        #expect(text.contains("session.bytes(from: url)") && !text.contains("fetchbench serve"))
    }

    @Test(arguments: [
        (ProgramRun(output: ["expected: 1; got: 2"], ending: .exited(1)), true),
        (ProgramRun(ending: .signalled(4)), true), (ProgramRun(ending: .killedAtLimit), true),
        (ProgramRun(output: ["expected: 1; got: 1"], ending: .exited(0)), false),
        (ProgramRun(ending: .exited(1)), false), (ProgramRun(ending: .exited(2)), false),
        (ProgramRun(ending: .notStarted("it does not compile")), false),
    ])
    func onlyAProgramThatFoundTheFaultShowsIt(run: ProgramRun, shows: Bool) {
        #expect(run.showsFault == shows)
    }

    @Test func theSystemsNameIsThatOfItsReleaseFile() {
        #expect(BugReport.systemName("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n") == "Debian GNU/Linux 12")
        #expect(BugReport.systemName("ID=debian\n") == nil)
    }
}
