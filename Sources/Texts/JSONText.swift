// SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON that is the same for the same value and harmless where it is printed: the one way in which it is written here.
package enum JSONText {
    package enum Layout: Sendable {
        /// As people read it, on many lines.
        case readable
        case compact
    }

    /// The value with sorted keys, ending with a line break.
    /// - Throws: what the encoder says of a number that is not finite.
    package static func text(of value: some Encodable, _ layout: Layout) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .readable { encoder.outputFormatting.insert(.prettyPrinted) }
        return harmless(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }

    /// The same of a value whose numbers are finite, which leaves nothing that JSON could not hold.
    package static func pretty(_ value: some Encodable) -> String {
        text(ofFinite: value, .readable)
    }

    /// The same on one line.
    package static func compact(_ value: some Encodable) -> String {
        text(ofFinite: value, .compact)
    }

    private static func text(ofFinite value: some Encodable, _ layout: Layout) -> String {
        do {
            return try text(of: value, layout)
        } catch {
            preconditionFailure("a value of finite numbers and text is encoded: \(error)")
        }
    }

    /// JSON, or a piece of it, that is harmless where it is printed.
    ///
    /// C1 controls and what turns text around are allowed in JSON as they are, but a terminal acts on them; and the log of
    /// a GitHub job on `##[`.
    ///
    /// They stand in strings only, and all of them have four hexadecimal digits.
    package static func harmless(_ text: String) -> String {
        // Most documents have none, and may be long.
        var hashes = 0
        guard text.unicodeScalars.contains(where: { isHarmful($0, behind: &hashes) }) else { return text }
        hashes = 0
        return text.unicodeScalars.reduce(into: "") { safe, scalar in
            if isHarmful(scalar, behind: &hashes) {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
    }

    /// - Parameter hashes: how many `#` stand right in front of the scalar, and afterwards of the next one.
    private static func isHarmful(_ scalar: Unicode.Scalar, behind hashes: inout Int) -> Bool {
        defer { hashes = scalar == "#" ? hashes + 1 : 0 }
        return isHarmful(scalar) || (scalar == "[" && hashes > 1)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return false }
        let character = String(scalar)
        return SafeText.forTerminal(character) != character
    }
}
