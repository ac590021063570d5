// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Deterministic JSON that is harmless when printed; the only JSON writer of the project.
package enum JSONText {
    package enum Layout: Sendable {
        /// Indented on many lines.
        case readable
        case compact
    }

    /// Returns the value with sorted keys and a final line break.
    /// - Throws: The encoder's error for a number that is not finite.
    package static func text(of value: some Encodable, _ layout: Layout) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if layout == .readable { encoder.outputFormatting.insert(.prettyPrinted) }
        return harmless(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }

    /// Returns indented JSON of a value whose numbers are finite, which cannot fail.
    package static func pretty(_ value: some Encodable) -> String {
        text(ofFinite: value, .readable)
    }

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

    /// Escapes what JSON allows inside strings but a terminal or a log acts on.
    ///
    /// Terminals act on C1 controls and bidirectional controls, the log of a GitHub job on `##[`. All of them have at
    /// most four hexadecimal digits.
    package static func harmless(_ text: String) -> String {
        // Most documents contain none and may be long.
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

    /// - Parameter hashes: The number of `#` directly before the scalar; updated for the next one.
    private static func isHarmful(_ scalar: Unicode.Scalar, behind hashes: inout Int) -> Bool {
        defer { hashes = scalar == "#" ? hashes + 1 : 0 }
        return isHarmful(scalar) || (scalar == "[" && hashes > 1)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x7F && SafeText.isControl(scalar)
    }
}
