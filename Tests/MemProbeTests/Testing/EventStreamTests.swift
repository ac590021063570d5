// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import Testing

/// What a child's testing library wrote, as Swift 6.3.1 writes it.
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
    func whatIsNoEventIsLeftOut(line: String) {
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
