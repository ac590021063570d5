// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Texts

/// Why a document of another program, or one that was stored, cannot be used: the field, what is there, what may be there.
package struct DocumentMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// More of a text from outside is not shown.
    private static let longest = 60

    /// Where: `phases[1].end_ns`; empty of the document as a whole.
    package var field: String
    /// What is wrong: `is 5, expected at least start_ns (9)`.
    package var words: String

    /// Creates one.
    package init(_ field: String, _ words: String) {
        self.field = field
        self.words = words
    }

    /// Tells what a decoder complained about.
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

    /// The mistake in words.
    package var description: String { field.isEmpty ? words : "\(field) \(words)" }

    /// The same in a document that the one with the mistake is a part of.
    package func inside(_ place: String) -> DocumentMistake {
        guard !place.isEmpty else { return self }
        let separator = field.isEmpty || field.hasPrefix("[") ? "" : "."
        return DocumentMistake(place + separator + field, words)
    }

    /// A place as it is written: `phases[1].end_ns`.
    static func field(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + shown(key.stringValue)
            }
        }
    }

    /// A text from outside as a part of a sentence: short, and without anything that a terminal would act on.
    package static func shown(_ text: String) -> String {
        // Cut by bytes: one character may have any number of them.
        let bytes = text.utf8
        guard bytes.count > longest * 4 else { return SafeText.forTerminal(text) }
        return SafeText.forTerminal(String(decoding: bytes.prefix(longest * 4), as: UTF8.self)) + "…"
    }

    /// What somebody wrote instead of a document, as the end of a sentence.
    static func excerpt(of output: [UInt8]) -> String {
        guard !output.isEmpty else { return ": it wrote nothing" }
        let text = SafeText.forTerminal(String(decoding: output.prefix(longest), as: UTF8.self))
        return ": it wrote '\(text)\(output.count > longest ? "…" : "")'"
    }
}

/// Reads a document that another program wrote.
package enum ForeignDocument {
    /// Decodes bytes that have to be one JSON document in UTF-8, without `null` and without a key that is there twice.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(DocumentMistake) -> Value {
        do {
            return try bytes.withUnsafeBufferPointer { bytes in
                try JSONValueDecoder().decode(type, from: bytes, strictly: true)
            }
        } catch {
            let mistake = DocumentMistake(error)
            // What is no JSON at all is best told by what it is.
            guard mistake.field.isEmpty else { throw mistake }
            throw DocumentMistake("", mistake.words + DocumentMistake.excerpt(of: bytes))
        }
    }
}
