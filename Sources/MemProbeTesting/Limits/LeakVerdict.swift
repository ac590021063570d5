// SPDX-License-Identifier: Apache-2.0

import Statistics
import SupportText

/// What runs leave allocated, against a limit.
struct LeakVerdict: Sendable {
    /// More points than this say no more, and take their square in time.
    private static let mostPoints = 100

    let limit: LeakLimit
    /// What each process showed, in their order.
    private(set) var lines: [RepetitionLine] = []

    /// Reads the series of one more process, and says whether it is above the limit; `nil` where it is too short.
    ///
    /// It is above where the whole interval of its slope is, and each half of it goes on rising.
    mutating func isAbove(_ series: [Int]) -> Bool? {
        guard series.count >= LeakLimit.fewestRepetitions,
            let line = RepetitionLine(series, each: 1, most: Self.mostPoints)
        else { return nil }
        lines.append(line)
        return line.goesOn(above: Double(limit.bytesPerRepetition))
    }

    /// The words of a failure: slopes with their intervals, limit, number of runs.
    func words(_ circumstances: Circumstances) -> String {
        let slopes = lines.map { line in
            let interval = line.whole.slopeInterval
            return
                "\(Self.text(line.whole.slope)) (\(Self.text(interval.lowerBound)) … \(Self.text(interval.upperBound)))"
        }
        let least = lines.map(\.whole.slope).min() ?? 0
        return """
            each repetition leaves \(Self.text(least)) bytes allocated, limit \(limit.bytesPerRepetition): \
            \(limit.repetitions) repetitions after \(limit.warmUp) to warm up, in \(lines.count) fresh processes: \
            \(slopes.joined(separator: ", ")) bytes a repetition, with intervals of 95 %. \(circumstances.words)
            """
    }

    private static func text(_ value: Double) -> String { ByteText.fixed(value, places: 1) }
}
