// SPDX-License-Identifier: Apache-2.0

import Glibc
package import TrialKit

package struct SampleRow: Hashable, Sendable {
    package var trial: Int
    /// The time since the first sample of the trial, in nanoseconds.
    package var time: Int
    package var phase: Phase?
    /// The resident size, in bytes.
    package var resident: Int
    /// The anonymous memory, in bytes.
    package var anonymous: Int
    /// The received bytes; `nil` without a count of the origin.
    package var received: Int?
    /// The charge of the control group, in bytes; `nil` if there was none.
    package var charged: Int?

    package init(
        trial: Int, time: Int, phase: Phase?, resident: Int, anonymous: Int, received: Int?, charged: Int? = nil
    ) {
        (self.trial, self.time, self.phase) = (trial, time, phase)
        (self.resident, self.anonymous) = (resident, anonymous)
        (self.received, self.charged) = (received, charged)
    }

    private struct SampleFields {
        private let bytes: UnsafeRawBufferPointer
        private var place: Int
        private let end: Int

        init(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) {
            self.bytes = bytes
            place = start
            self.end = end
        }

        /// Reads a whole number and the following comma.
        mutating func number() -> Int? {
            var value = 0
            let first = place
            while place < end, bytes[place] != 44 {
                let digit = Int(bytes[place]) - 48
                guard (0...9).contains(digit), value < Int.max / 16 else { return nil }
                value = value * 10 + digit
                place += 1
            }
            guard place > first else { return nil }
            place += 1
            return value
        }

        /// Reads the fields after the trial's number.
        mutating func row(of trial: Int) -> SampleRow? {
            guard let time = number() else { return nil }
            let first = place
            while place < end, bytes[place] != 44 { place += 1 }
            let word = bytes[first..<place]
            let phase = Phase.allCases.first { $0.rawValue.utf8.elementsEqual(word) }
            guard phase != nil || word.isEmpty else { return nil }
            place += 1
            guard let resident = number(), let anonymous = number(), number() != nil else { return nil }
            var (received, charged): (Int?, Int?) = (nil, nil)
            guard readsOptional(&received), readsOptional(&charged), place >= end else { return nil }
            return SampleRow(
                trial: trial, time: time, phase: phase, resident: resident, anonymous: anonymous, received: received,
                charged: charged)
        }

        /// Reads a number or nothing, and the following comma; returns false for anything else.
        private mutating func readsOptional(_ value: inout Int?) -> Bool {
            guard place < end else { return true }
            if bytes[place] == 44 {
                place += 1
                return true
            }
            value = number()
            return value != nil
        }
    }
}

extension SampleRow {
    /// Reads the complete lines of a buffer; returns their length in bytes, or `nil` if a line is invalid.
    /// - Parameters:
    ///   - line: The number of the last line that was read; the first one of a file is one of the headers.
    ///   - wanted: Returns true for the number of a trial whose rows are used.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, headers: [String], line: inout Int, wanted: (Int) -> Bool,
        use: (SampleRow) -> Void
    ) -> Int? {
        guard let base = bytes.baseAddress else { return 0 }
        var start = 0
        while let found = memchr(base + start, 10, bytes.count - start) {
            let end = base.distance(to: found)
            line += 1
            defer { start = end + 1 }
            if line == 1 {
                let header = String(decoding: bytes[start...end], as: UTF8.self)
                guard headers.contains(header) else { return nil }
                continue
            }
            var fields = SampleFields(bytes, start, end)
            guard let trial = fields.number() else { return nil }
            guard wanted(trial) else { continue }
            guard let row = fields.row(of: trial) else { return nil }
            use(row)
        }
        return start
    }
}
