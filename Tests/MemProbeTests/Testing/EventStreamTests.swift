// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

/// Output of a child's testing library in the format of Swift 6.3.1.
struct EventStreamTests {
    private static func line(_ symbol: String, _ text: String, isKnown: Bool = false, line: Int = 16) -> String {
        """
        {"kind":"event","payload":{"instant":{"absolute":5.5,"since1970":1.5},"issue":{"_backtrace":[{"address":1}],\
        "isKnown":\(isKnown),"sourceLocation":{"_filePath":"/tmp/T.swift","column":69,"fileID":"Tests/T.swift",\
        "line":\(line)}},"kind":"issueRecorded","messages":[{"symbol":"\(symbol)","text":"\(text)"},\
        {"symbol":"details","text":"why"}],"testID":"Tests.test()/T.swift:16:6"},"version":0}
        """
    }

    private static func stream(_ lines: String...) -> EventStream {
        EventStream(parsing: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    @Test func anIssueKeepsItsWordsAndItsPlace() throws {
        let stream = Self.stream(Self.line("fail", "Expectation failed: (1 → 1) == 2"))
        let issue = try #require(stream.issues.first)
        #expect(issue.text == "Expectation failed: (1 → 1) == 2\nwhy")
        #expect(!issue.isWarning)
        #expect(issue.place == SourceLocation(fileID: "Tests/T.swift", filePath: "/tmp/T.swift", line: 16, column: 69))
    }

    @Test func knownIssuesAndRepeatedOnesAreLeftOut() {
        let stream = Self.stream(
            Self.line("passWithKnownIssue", "known", isKnown: true), Self.line("fail", "red"), Self.line("fail", "red"),
            Self.line("warning", "careful", line: 17))
        #expect(stream.issues.map(\.text) == ["red\nwhy", "careful\nwhy"])
        #expect(stream.issues.map(\.isWarning) == [false, true])
    }

    @Test(arguments: ["", "{", "[]", "{\"kind\":\"event\"}", "{\"kind\":\"test\",\"payload\":{}}", "\u{0}"])
    func linesThatAreNoEventsAreSkipped(line: String) {
        let stream = Self.stream(line, Self.line("fail", "red"), line)
        #expect(stream.issues.count == 1)
    }

    @Test func aTestThatFailsWithoutEndHasAThousandIssues() {
        let lines = (0..<3000).map { Self.line("fail", "red \($0)") }.joined(separator: "\n")
        #expect(EventStream(parsing: Data(lines.utf8)).issues.count == 1000)
    }

    @Test func aPlaceThatNoFileHasIsNone() {
        #expect(Self.stream(Self.line("fail", "red", line: 0)).issues.first?.place == nil)
    }
}

struct TestCommandTests {
    @Test(arguments: [
        "Module.Suite/test()/File.swift:3:4", "Module.Suite/Inner/`a [b] (c)+ d* {e}? ^$ | f\\g.h`()/File.swift:1:2",
        "Module.über(größe:)/Datei.swift:10:20",
    ])
    func theFilterFindsTheOneTest(identifier: String) throws {
        let pattern = try Regex(TestCommand.pattern(of: identifier))
        #expect(identifier.firstMatch(of: pattern) != nil)
        #expect((identifier + "0").firstMatch(of: pattern) == nil, "another column of the same line")
        #expect(("Other" + identifier).firstMatch(of: pattern) == nil)
    }

    @Test func noEventOfTheWholeRunIsHandedOn() {
        let command = TestCommand(own: [
            "tests.xctest", "--filter", "Other", "--parallel", "--event-stream-output-path", "/tmp/parent",
            "--repetitions",
            "3", "--testing-library", "swift-testing",
        ])
        let arguments = command.arguments(running: "Module.test()/File.swift:3:4", in: ChildFolder(path: "/tmp/child"))
        #expect(arguments.first == "tests.xctest")
        #expect(!arguments.contains { ["Other", "--parallel", "/tmp/parent", "--repetitions", "3"].contains($0) })
        #expect(arguments.contains("/tmp/child/events.jsonl"))
        #expect(arguments.contains("--no-parallel"))
    }

    @Test func theBundleIsHandedOn() {
        let command = TestCommand(own: ["helper", "--test-bundle-path", "/tmp/bundle", "--filter", "Other"])
        let arguments = command.arguments(running: "Module.test()", in: ChildFolder(path: "/tmp/child"))
        #expect(arguments.prefix(3) == ["helper", "--test-bundle-path", "/tmp/bundle"])
    }

    @Test func thisProcessKnowsHowItWasStarted() throws {
        let command = try #require(TestCommand())
        #expect(command.own == CommandLine.arguments)
    }
}

struct RecorderFileTests {
    private static let name = "libAllocationRecorder.so"

    private static func find(
        _ environment: [String: String], program: String? = "/p/tests.xctest", files: Set<String>
    ) throws -> String {
        try RecorderFile.find(environment: environment, program: program, isThere: files.contains).path
    }

    @Test func theVariableComesFirst() throws {
        let files: Set = ["/x/my.so", "/p/\(Self.name)"]
        #expect(try Self.find(["FETCHBENCH_RECORDER": "/x/my.so"], files: files) == "/x/my.so")
        #expect(try Self.find([:], files: files) == "/p/\(Self.name)")
    }

    @Test func anInstalledFetchbenchHasIt() throws {
        let path = ["PATH": "/bin:/opt/f/bin:/usr/bin"]
        #expect(
            try Self.find(path, files: ["/opt/f/bin/fetchbench", "/opt/f/bin/\(Self.name)"])
                == "/opt/f/bin/\(Self.name)")
        let library = "/opt/f/lib/fetchbench/\(Self.name)"
        #expect(try Self.find(path, files: ["/opt/f/bin/fetchbench", library]) == library)
        #expect(throws: RecorderFile.Missing.self) { _ = try Self.find(path, files: [library]) }
    }

    @Test(arguments: [
        (["FETCHBENCH_RECORDER": "/none.so"], "/none.so, which cannot be read"), ([:], "--product AllocationRecorder"),
        (["FETCHBENCH_RECORDER": "/a b.so"], "a space or a colon"),
    ])
    func missingRequirementsAreReported(environment: [String: String], words: String) {
        let missing = #expect(throws: RecorderFile.Missing.self) { _ = try Self.find(environment, files: ["/a b.so"]) }
        #expect(missing?.reason.contains(words) == true)
    }
}

/// The plain spelling: an exit test that measures itself.
struct PeakReportTests {
    @Test(arguments: [10, 50]) func allocationsAreRead(mebibytes: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [mebibytes = mebibytes as Int] in
            // The first expectation of a process needs almost as much as is tolerated.
            #expect(Planted.sum(ofMebibytes: 1) > 0)
            try await PeakReport.emit {
                print("noise without a line break", terminator: "")
                #expect(Planted.sum(ofMebibytes: mebibytes) > 0)
            }
        }
        let growth = try PeakReport(result).growth
        #expect(abs((growth - .mebibytes(mebibytes)).rawValue) < 1 << 20, "\(growth.mebibytes) MiB")
    }

    @Test func programPagesLoadedBeforeTheStartAreNotSubtracted() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try Planted.loadProgramPages()
            #expect(Planted.sum(ofMebibytes: 1) > 0)
            try await PeakReport.emit { #expect(Planted.sum(ofMebibytes: 10) > 0) }
        }
        let growth = try PeakReport(result).growth
        #expect(abs((growth - .mebibytes(10)).rawValue) < 1 << 20, "\(growth.mebibytes) MiB")
    }

    @Test func missingRequirementsAreReported() async {
        let silent = await #expect(processExitsWith: .success) { try await PeakReport.emit {} }
        let unobserved = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(silent) }
        #expect(unobserved?.reason.contains("observing") == true)
        let other = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { print("other") }
        let unsaid = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(other) }
        #expect(unsaid?.reason.contains("emit") == true)
        let failed = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(nil) }
        #expect(failed?.reason.contains("failed") == true)
    }
}
