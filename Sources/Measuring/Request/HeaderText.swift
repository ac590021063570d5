// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Parses header fields of the command line; no error message contains a value or a possible one.
package enum HeaderText {
    /// The lower-case names of fields that the harness or the library sets, with the reason.
    private static let taken: [(names: Set<String>, reason: String)] = [
        (["host"], "the URL sets it"),
        (["content-length", "transfer-encoding", "trailer"], "the body's length sets it"),
        (["accept-encoding"], "compression would change the measurement"),
        (
            ["range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"],
            "the whole body is always fetched (scenarios set their own ranges)"
        ),
        (
            ["connection", "keep-alive", "proxy-connection", "te", "upgrade", "expect"],
            "each client manages its own connections"
        ),
    ]

    /// Parses `Name: value`; `place` names the field in errors, such as `--header 2`.
    package static func field(parsing text: String, at place: String) throws -> RequestDetails.Field {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first.map(String.init), isToken(name) else {
            throw FetchBenchError(usage: "\(place): expected 'Name: value', with a valid header name before the colon")
        }
        if let taken = taken.first(where: { $0.names.contains(name.lowercased()) }) {
            throw FetchBenchError(usage: "\(place): \(name) cannot be set: \(taken.reason)")
        }
        let value = trimmed(parts[1])
        guard !value.isEmpty else {
            throw FetchBenchError(usage: "\(place): \(name) has no value: expected '\(name): value'")
        }
        guard value != RequestOutline.Mark.text else {
            throw FetchBenchError(
                usage:
                    "\(place): '\(RequestOutline.Mark.text)' is a placeholder for the value of \(name), which is not stored; give the value"
            )
        }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            throw FetchBenchError(
                usage:
                    "\(place): the value of \(name) has a line break, another control character or a character outside ASCII, "
                    + "which not every client can send")
        }
        return RequestDetails.Field(name: name, value: value)
    }

    /// Parses a file with a field in each line; empty lines and those that begin with `#` are skipped.
    package static func fields(inFile text: String, named name: String) throws -> [RequestDetails.Field] {
        var fields: [RequestDetails.Field] = []
        // "\r\n" is one Character, which is also a new line.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            fields.append(try field(parsing: String(line), at: "--header \(name), line \(index + 1)"))
        }
        guard !fields.isEmpty else { throw FetchBenchError(usage: "--header \(name): the file has no header") }
        return fields
    }

    /// Parses a method: upper-case letters, digits and hyphens.
    package static func method(parsing text: String) throws -> String {
        guard let first = text.first, ("A"..."Z").contains(first), text.count <= 32,
            text.allSatisfy({ ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-" })
        else {
            let hint = isToken(text) ? "; methods are in upper case, such as \(text.uppercased())" : ""
            throw FetchBenchError(
                usage:
                    "invalid --request-method '\(SafeText.forTerminal(text))': expected an HTTP method such as GET or POST\(hint)"
            )
        }
        if let reason = ["HEAD": "its response has no body", "CONNECT": "it opens a tunnel", "TRACE": "it echoes"][text]
        {
            throw FetchBenchError(
                usage: "invalid --request-method '\(text)': it fetches no body (\(reason)); use GET or POST")
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
