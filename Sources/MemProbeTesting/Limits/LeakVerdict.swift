// SPDX-License-Identifier: Apache-2.0

import Statistics
import Texts

/// What runs leave allocated, against a limit.
struct LeakVerdict: Sendable {
    /// More points than this say no more, and take their square in time.
    private static let mostPoints = 100

    let limit: LeakLimit
    /// What each process showed that was above the limit, in their order, and how many repetitions it had.
    private var rises: [(rise: LastingRise, repetitions: Int)] = []

    init(limit: LeakLimit) { self.limit = limit }

    /// Reads the series of one more process, and says whether it is above the limit; `nil` where it is too short.
    ///
    /// It is above where the whole interval of its slope is, or of its slope from where a leak begins, and where it goes
    /// on rising to the end.
    mutating func isAbove(_ series: [Int]) -> Bool? {
        guard series.count >= LeakLimit.fewestRepetitions,
            let line = RepetitionLine(series, each: 1, most: Self.mostPoints)
        else { return nil }
        let bytes = Double(limit.bytesPerRepetition)
        guard let rise = line.rise(above: bytes), goesOn(series, above: bytes) else { return false }
        rises.append((rise, series.count))
        return true
    }

    /// Whether all the further repetitions of a process that confirms rise, too, where there are as many as the limit has:
    /// a leak of the first ones goes on in them, and a pool fills up.
    private func goesOn(_ series: [Int], above bytes: Double) -> Bool {
        let further = Array(series.dropFirst(limit.repetitions))
        guard further.count >= limit.repetitions,
            let line = RepetitionLine(further, each: 1, most: Self.mostPoints)
        else { return true }
        return line.risesThroughout(above: bytes)
    }

    /// The words of a failure: slopes with their intervals, limit, number of runs.
    func words(_ circumstances: Circumstances) -> String {
        let least = rises.map(\.rise.line.slope).min() ?? 0
        let start = rises.compactMap(\.rise.start).min().map { " from about repetition \($0) on" } ?? ""
        return """
            each repetition leaves \(Self.text(least)) bytes allocated\(start), limit \(limit.bytesPerRepetition): \
            \(rises.map { Self.words(of: $0.rise, of: $0.repetitions) }.joined(separator: ", ")) bytes a repetition, in \
            \(rises.count) fresh processes with \(limit.warmUp) repetitions each to warm up; the intervals have 95 % at \
            least. \(circumstances.words)
            """
    }

    private static func words(of rise: LastingRise, of repetitions: Int) -> String {
        let interval = rise.line.slopeInterval
        return "\(text(rise.line.slope)) (\(text(interval.lowerBound)) … \(text(interval.upperBound)))"
            + (rise.start.map { " from \($0) on" } ?? "") + " in \(repetitions) repetitions"
    }

    private static func text(_ value: Double) -> String { ByteText.fixed(value, places: 1) }
}
