// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Texts

/// The reason why a document cannot be used: the field, its value, and the valid values.
package struct DocumentMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of foreign text in messages.
    private static let longest = 60

    /// The path of the field: `phases[1].end_ns`; empty for the whole document.
    package var field: String
    /// The mistake: `is 5, expected at least start_ns (9)`.
    package var words: String

    package init(_ field: String, _ words: String) {
        self.field = field
        self.words = words
    }

    /// Creates a mistake from the error of a decoder.
    package init(_ error: any Error) {
        switch error {
        case let mistake as DocumentMistake: self = mistake
        case JSONFault.cutOff: self.init("", "it ends early")
        case JSONFault.malformed(let offset, let reason): self.init("", "\(reason) at byte \(offset)")
        case let error as DecodingError: self.init(decoding: error)
        default: self.init("", Self.shown("\(error)"))
        }
    }

    private init(decoding error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(Self.field(of: context.codingPath + [key]), "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let field = Self.field(of: context.codingPath)
            var reason = Self.shown(context.debugDescription)
            while reason.last == "." { reason.removeLast() }
            self.init(field, (field.isEmpty ? "" : "is invalid: ") + reason)
        @unknown default:
            self.init("", Self.shown("\(error)"))
        }
    }

    package var description: String { field.isEmpty ? words : "\(field) \(words)" }

    /// Returns the mistake with the path of its document in an enclosing one.
    package func inside(_ place: String) -> DocumentMistake {
        guard !place.isEmpty else { return self }
        let separator = field.isEmpty || field.hasPrefix("[") ? "" : "."
        return DocumentMistake(place + separator + field, words)
    }

    /// Returns the text of a coding path: `phases[1].end_ns`.
    static func field(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + shown(key.stringValue)
            }
        }
    }

    /// Returns foreign text shortened and safe for a terminal.
    package static func shown(_ text: String) -> String {
        // Cut by bytes, since a character may have any number of them.
        let bytes = text.utf8
        guard bytes.count > longest * 4 else { return SafeText.forTerminal(text) }
        return SafeText.forTerminal(String(decoding: bytes.prefix(longest * 4), as: UTF8.self)) + "…"
    }

    /// Returns the beginning of an invalid document, as the end of a sentence.
    static func excerpt(of output: [UInt8]) -> String {
        guard !output.isEmpty else { return ": it wrote nothing" }
        let text = SafeText.forTerminal(String(decoding: output.prefix(longest), as: UTF8.self))
        return ": it wrote '\(text)\(output.count > longest ? "…" : "")'"
    }
}

/// The decoding of documents that another program wrote.
package enum ForeignDocument {
    /// Decodes one JSON document in UTF-8, without `null` and duplicate keys.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(DocumentMistake) -> Value {
        do {
            return try JSONDecoder().value(type, in: Data(bytes), strictly: true)
        } catch {
            let mistake = DocumentMistake(error)
            // The beginning of the text explains best why it is not JSON.
            guard mistake.field.isEmpty else { throw mistake }
            throw DocumentMistake("", mistake.words + DocumentMistake.excerpt(of: bytes))
        }
    }
}
