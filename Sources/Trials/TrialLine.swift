// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The parts of a line of `trials.jsonl` that merging needs, without decoding the rest: a hundred times faster.
package struct TrialLine {
    package private(set) var number = 0
    package private(set) var cell = 0..<0
    package private(set) var outcome = 0..<0
    package private(set) var pairing = 0..<0
    package private(set) var host = 0..<0

    /// Returns `nil` for bytes that are not one JSON object with these parts.
    ///
    /// Brackets and strings are followed to the last byte; the words within are left to whoever decodes the trial.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = Scanner(bytes)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        repeat {
            guard let key = scanner.string(), scanner.take(UInt8(ascii: ":")), let value = scanner.value() else {
                return nil
            }
            let name = UnsafeBufferPointer(rebasing: bytes[(key.lowerBound + 1)..<(key.upperBound - 1)])
            if name.elementsEqual("trial".utf8) {
                number = Self.number(bytes[value]) ?? 0
            } else if name.elementsEqual("case".utf8) {
                cell = value
            } else if name.elementsEqual("outcome".utf8) {
                outcome = value
            } else if name.elementsEqual("pairing".utf8) {
                pairing = value
            } else if name.elementsEqual("host".utf8) {
                host = value
            }
        } while scanner.take(UInt8(ascii: ","))
        guard scanner.take(UInt8(ascii: "}")), scanner.isAtEnd, number > 0, !cell.isEmpty, !outcome.isEmpty else {
            return nil
        }
    }

    /// Takes the number at the start of a row of `samples.csv`; `nil` without one.
    package init?(row bytes: UnsafeBufferPointer<UInt8>) {
        guard let number = bytes.firstIndex(of: UInt8(ascii: ",")).flatMap({ Self.number(bytes[..<$0]) }) else {
            return nil
        }
        self.number = number
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard !digits.isEmpty, digits.count <= 15 else { return nil }
        var number = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// Follows compact JSON without decoding it.
    private struct Scanner {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var offset = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
            return true
        }

        /// Takes a string, and returns its place with its quotation marks.
        mutating func string() -> Range<Int>? {
            let start = offset
            guard take(UInt8(ascii: "\"")), skipString() else { return nil }
            return start..<offset
        }

        mutating func value() -> Range<Int>? {
            let start = offset
            var depth = 0
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "\""):
                    offset += 1
                    guard skipString() else { return nil }
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return start < offset ? start..<offset : nil }
                    depth -= 1
                case UInt8(ascii: ",") where depth == 0: return start < offset ? start..<offset : nil
                default: break
                }
                offset += 1
            }
            return nil
        }

        private mutating func skipString() -> Bool {
            while offset < bytes.count, let base = bytes.baseAddress {
                guard let end = memchr(base + offset, Int32(UInt8(ascii: "\"")), bytes.count - offset) else {
                    return false
                }
                let quote = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(end))
                // A quotation mark behind an odd number of backslashes is part of the string.
                var slashes = 0
                while quote - slashes > offset, bytes[quote - slashes - 1] == UInt8(ascii: "\\") { slashes += 1 }
                offset = quote + 1
                if slashes.isMultiple(of: 2) { return true }
            }
            return false
        }
    }
}
