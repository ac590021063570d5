// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support

/// How runs are written as JSON: in a stable order, so that two of them can be compared as text.
enum RunCoding {
    /// A value as people read it, on many lines.
    static func readableText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, .readable)
    }

    /// A value on one line, with its end.
    static func compactText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, .compact)
    }

    private static func text(
        of value: some Encodable, _ layout: JSONText.Layout
    ) throws(FetchBenchError) -> String {
        do {
            return try JSONText.text(of: value, layout)
        } catch {
            throw FetchBenchError.malformedRun(name: "\(type(of: value))", reason: "\(error)")
        }
    }

    /// What a decoder complains about, with the place.
    static func explanation(of error: any Error) -> String {
        if let mistake = error as? DocumentMistake { return mistake.description }
        guard let error = error as? DecodingError else { return words(of: error) }
        let (text, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("\(key.stringValue) is missing", context.codingPath)
            case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
                (context.debugDescription, context.codingPath)
            @unknown default: ("\(error)", [])
            }
        let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? text : "\(text) (at \(place))"
    }

    /// The same of what is no JSON at all.
    private static func words(of error: any Error) -> String {
        switch error {
        case JSONFault.cutOff: "it ends early"
        case JSONFault.malformed(let offset, let reason): "\(reason) at byte \(offset)"
        default: "\(error)"
        }
    }
}
