// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
import Texts
package import TrialKit

/// One row of `samples.csv`.
package struct SampleRow: Hashable, Sendable {
    /// The number of the trial.
    package var trial: Int
    /// The time since the first sample of the trial, in nanoseconds.
    package var time: Int
    /// The phase, or `nil` between two phases.
    package var phase: Phase?
    /// The resident size, in bytes.
    package var resident: Int
    /// The anonymous memory, in bytes.
    package var anonymous: Int
    /// The received bytes; `nil` without a count of the origin.
    package var received: Int?

    package init(trial: Int, time: Int, phase: Phase?, resident: Int, anonymous: Int, received: Int?) {
        self.trial = trial
        self.time = time
        self.phase = phase
        self.resident = resident
        self.anonymous = anonymous
        self.received = received
    }
}

/// A reader of `samples.csv` row by row, which keeps memory bounded for files of 100 MB.
package enum SampleScanner {
    /// The size of the read buffer in bytes; rows are shorter.
    private static let capacity = 1 << 18

    /// Calls `use` for each row of the wanted trials, in the order of the file.
    ///
    /// A last line without its end, left by an interruption, is ignored.
    package static func scan(
        _ folder: RunFolder, wanted: (Int) -> Bool, use: (SampleRow) -> Void
    ) throws(FetchBenchError) {
        let source = folder.source(of: .samples)
        var line = 0
        do throws(FileFailure) {
            let file = try FileWindow(
                path: source, name: "\(folder.name)/\(PathText.name(of: source))", capacity: capacity)
            while try file.more() {
                guard let used = lines(of: UnsafeRawBufferPointer(file.bytes), &line, wanted, use),
                    used > 0 || file.bytes.count < capacity
                else { break }
                file.advance(by: used)
            }
            if file.isWhole { return }
        } catch {
            throw .file(error)
        }
        throw .malformedRun(name: folder.name, reason: "line \(line) of samples.csv is not a sample")
    }

    /// Reads the complete lines of a buffer; returns their length in bytes, or `nil` if a line is invalid.
    private static func lines(
        of bytes: UnsafeRawBufferPointer, _ line: inout Int, _ wanted: (Int) -> Bool, _ use: (SampleRow) -> Void
    ) -> Int? {
        guard let base = bytes.baseAddress else { return 0 }
        var start = 0
        while let found = memchr(base + start, 10, bytes.count - start) {
            let end = base.distance(to: found)
            line += 1
            defer { start = end + 1 }
            if line == 1 {
                guard String(decoding: bytes[start...end], as: UTF8.self) == SamplesTable.header else { return nil }
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

/// The fields of one row, read from left to right; fields are never quoted.
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
        let received = number()
        guard received != nil || place == end else { return nil }
        return SampleRow(
            trial: trial, time: time, phase: phase, resident: resident, anonymous: anonymous, received: received)
    }
}
