// SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON that is the same for the same value and harmless where it is printed.
enum JSONText {
    /// The value with sorted keys, indented, ending with a line break.
    ///
    /// The caller sees to it that every number is finite, which leaves nothing that JSON could not hold.
    static func pretty(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return harmless(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
        } catch {
            preconditionFailure("a value of finite numbers and text is encoded: \(error)")
        }
    }

    /// C1 controls and what turns text around are allowed in JSON as they are, but a terminal acts on them.
    ///
    /// They stand in strings only, and all of them have four hexadecimal digits.
    private static func harmless(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "") { safe, scalar in
            let character = String(scalar)
            if scalar.isASCII && scalar.value != 0x7F || SafeText.forTerminal(character) == character {
                safe.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
