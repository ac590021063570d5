// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Testing

/// What the testing library wrote of a child's run: a JSON document a line, version 0 of its event stream.
package struct EventStream: Sendable {
    /// The issues that are no known ones, each text and place once: what is repeated has the same ones each time.
    package private(set) var issues: [CarriedIssue] = []
    /// The files of what the test attached, by their preferred names.
    private(set) var attachments: [CarriedAttachment] = []

    /// A test that fails in other words each time has failed often enough.
    private static let mostIssues = 1000

    /// Reads the whole; lines that are no events are left out, since later versions may add to them.
    package init(parsing text: Data) {
        let decoder = JSONDecoder()
        var known: Set<CarriedIssue> = []
        for line in text.split(separator: UInt8(ascii: "\n")) where issues.count < Self.mostIssues {
            guard let record = try? decoder.decode(Record.self, from: Data(line)), record.kind == "event" else {
                continue
            }
            if let issue = CarriedIssue(record.payload), known.insert(issue).inserted { issues.append(issue) }
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
}

/// A file that a test attached in a child.
struct CarriedAttachment: Hashable, Sendable {
    var path: String
    var name: String?
}

package struct CarriedIssue: Hashable, Sendable {
    /// What the testing library says of it, a line each.
    package var text: String
    /// Whether it is a warning, with which a test passes.
    package var isWarning: Bool
    package var place: SourceLocation?

    fileprivate init?(_ payload: EventStream.Payload) {
        guard payload.kind == "issueRecorded", let issue = payload.issue, !issue.isKnown else { return nil }
        let messages = payload.messages ?? []
        text = messages.map(\.text).joined(separator: "\n")
        isWarning = messages.first?.symbol == "warning"
        place = issue.sourceLocation.flatMap { place in
            // The library's own type refuses lines that no file has, by a trap.
            guard place.line > 0, place.column > 0, place.fileID.contains("/") else { return nil }
            return SourceLocation(
                fileID: place.fileID, filePath: place.filePath ?? place._filePath ?? place.fileID, line: place.line,
                column: place.column)
        }
    }

    /// Records it as an issue of the test that runs here.
    func record(orAt other: SourceLocation) {
        Issue.record(
            Comment(rawValue: text), severity: isWarning ? .warning : .error, sourceLocation: place ?? other)
    }
}
