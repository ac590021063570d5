// SPDX-License-Identifier: Apache-2.0

package import Foundation
import MemProbe
package import Testing

/// The testing library's report of a child's run: one JSON document per line, version 0 of its event stream.
package struct EventStream: Sendable {
    /// The issues that are not known ones, each text and place once, because repetitions have the same issues.
    package private(set) var issues: [EventStream.CarriedIssue] = []
    private(set) var attachments: [CarriedAttachment] = []

    /// The limit for a test that fails with a different text each time.
    private static let mostIssues = 1000

    /// Parses the stream; skips other lines, which later versions may add.
    package init(parsing text: Data) {
        let decoder = JSONDecoder()
        var known: Set<EventStream.CarriedIssue> = []
        for line in text.split(separator: UInt8(ascii: "\n")) where issues.count < Self.mostIssues {
            guard let record = try? decoder.decode(Record.self, from: Data(line)), record.kind == "event" else {
                continue
            }
            if let issue = EventStream.CarriedIssue(record.payload), known.insert(issue).inserted {
                issues.append(issue)
            }
            if let path = record.payload.attachment?.path {
                attachments.append(CarriedAttachment(path: path, name: record.payload.attachment?._preferredName))
            }
        }
    }

    fileprivate struct Record: Decodable {
        var kind: String
        var payload: Payload
    }

    fileprivate struct Payload: Decodable {
        var kind: String?
        var issue: Issue?
        var messages: [Message]?
        var attachment: Attachment?
    }

    fileprivate struct Issue: Decodable {
        var isKnown: Bool
        var sourceLocation: Place?
    }

    fileprivate struct Place: Decodable {
        var fileID: String
        var filePath: String?
        var _filePath: String?
        var line: Int
        var column: Int
    }

    fileprivate struct Message: Decodable {
        var symbol: String
        var text: String
    }

    fileprivate struct Attachment: Decodable {
        var path: String?
        var _preferredName: String?
    }

    /// A file that a test attached in a child.
    struct CarriedAttachment: Hashable, Sendable {
        var path: String
        var name: String?
    }

    package struct CarriedIssue: Hashable, Sendable {
        /// The testing library's messages, one per line.
        package var text: String
        /// True for a warning, with which a test passes.
        package var isWarning: Bool
        package var place: SourceLocation?

        fileprivate init?(_ payload: EventStream.Payload) {
            guard payload.kind == "issueRecorded", let issue = payload.issue, !issue.isKnown else { return nil }
            let messages = payload.messages ?? []
            text = messages.map(\.text).joined(separator: "\n")
            isWarning = messages.first?.symbol == "warning"
            place = issue.sourceLocation.flatMap { place in
                // `SourceLocation` traps on lines that cannot exist.
                guard place.line > 0, place.column > 0, place.fileID.contains("/") else { return nil }
                return SourceLocation(
                    fileID: place.fileID, filePath: place.filePath ?? place._filePath ?? place.fileID, line: place.line,
                    column: place.column)
            }
        }

        /// Records it as an issue of the current test.
        func record(orAt other: SourceLocation) {
            Testing.Issue.record(
                Comment(rawValue: text), severity: isWarning ? .warning : .error, sourceLocation: place ?? other)
        }
    }
}

/// The command that starts the test program again for a single test.
package struct TestCommand: Sendable {
    /// This process's own program, even if its file has been replaced.
    package static let executable = "/proc/self/exe"

    /// The arguments of this process, including its name.
    package let own: [String]

    /// Creates the command of this process; `nil` if there is no `/proc`.
    package init?() {
        guard let data = FileManager.default.contents(atPath: "/proc/self/cmdline"), !data.isEmpty else { return nil }
        self.init(
            own: data.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                SystemText.string(of: $0)
            })
    }

    package init(own: [String]) { self.own = own }

    /// Returns the arguments that run one test alone and write its results into a folder.
    ///
    /// Of this process's own arguments only the bundle's path is kept: filters, repetitions and streams of the whole
    /// run do not apply to the child.
    package func arguments(running test: String, in folder: ChildFolder) -> [String] {
        let bundle = own.firstIndex(of: "--test-bundle-path").map { Array(own[$0...].prefix(2)) } ?? []
        return own.prefix(1) + bundle + [
            "--testing-library", "swift-testing", "--filter", Self.pattern(of: test), "--no-parallel",
            // The child prints the test's output and nothing of its own.
            "--verbosity", "\(Int.min)",
            "--event-stream-output-path", folder.events, "--event-stream-version", "0",
            "--attachments-path", folder.attachments,
        ]
    }

    /// Returns a regular expression that matches the identifier only.
    package static func pattern(of test: String) -> String {
        let escaped = test.unicodeScalars.reduce(into: "") { text, scalar in
            if "\\^$.|?*+()[]{}/".unicodeScalars.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "^\(escaped)$"
    }
}
