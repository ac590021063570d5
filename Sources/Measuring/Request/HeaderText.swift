// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
package import Runs
import Texts
package import TrialKit

/// Parses header fields of the command line; no error message contains a value or a possible one.
package enum HeaderText {
    /// The lower-case names of fields that the harness or the library sets, with the reason.
    private static let taken: [(names: Set<String>, reason: String)] = [
        (["host"], "the URL says that"),
        (["content-length", "transfer-encoding", "trailer"], "the body's length says that"),
        (["accept-encoding"], "whether a body is compressed decides what is measured"),
        (
            ["range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"],
            "the whole body is fetched, but for scenarios that ask for a part by themselves"
        ),
        (
            ["connection", "keep-alive", "proxy-connection", "te", "upgrade", "expect"],
            "each client keeps its connections in its own way"
        ),
    ]

    /// Parses `Name: value`; `place` names the field in errors, such as `--header 2`.
    package static func field(parsing text: String, at place: String) throws(PlanMistake) -> RequestDetails.Field {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first.map(String.init), isToken(name) else {
            throw PlanMistake("\(place): there is no name of a header before a colon; give 'Name: value'")
        }
        if let taken = taken.first(where: { $0.names.contains(name.lowercased()) }) {
            throw PlanMistake("\(place): \(name) cannot be given: \(taken.reason)")
        }
        let value = trimmed(parts[1])
        guard !value.isEmpty else { throw PlanMistake("\(place): \(name) has no value; give '\(name): value'") }
        guard value != RequestMark.text else {
            throw PlanMistake(
                "\(place): '\(RequestMark.text)' stands for the value of \(name), which no record keeps; give the value"
            )
        }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            throw PlanMistake(
                "\(place): the value of \(name) holds a line's end, another control character or one beyond ASCII, "
                    + "which no header can hold in every client")
        }
        return RequestDetails.Field(name: name, value: value)
    }

    /// Parses a file with a field in each line; empty lines and those that begin with `#` are skipped.
    package static func fields(inFile text: String, named name: String) throws(PlanMistake) -> [RequestDetails.Field] {
        var fields: [RequestDetails.Field] = []
        // "\r\n" is one Character, which is also a new line.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            fields.append(try field(parsing: String(line), at: "--header \(name), line \(index + 1)"))
        }
        guard !fields.isEmpty else { throw PlanMistake("--header \(name): the file holds no header") }
        return fields
    }

    /// Parses a method: upper-case letters, digits and hyphens.
    package static func method(parsing text: String) throws(PlanMistake) -> String {
        guard let first = text.first, ("A"..."Z").contains(first), text.count <= 32,
            text.allSatisfy({ ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-" })
        else {
            let hint = isToken(text) ? "; methods are in upper case, such as \(text.uppercased())" : ""
            throw PlanMistake("--request-method: '\(SafeText.forTerminal(text))' is no method of HTTP\(hint)")
        }
        if let reason = ["HEAD": "its answer has no body", "CONNECT": "it opens a tunnel", "TRACE": "it echoes"][text] {
            throw PlanMistake("--request-method: \(text) fetches nothing that could be measured: \(reason)")
        }
        return text
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return byte < 0x80
                    && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
            }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
