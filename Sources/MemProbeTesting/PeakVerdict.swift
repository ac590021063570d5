// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Statistics
import Texts

struct PeakVerdict: Hashable, Sendable {
    /// The number of processes that have to exceed the limit for a failure.
    static let processes = 3

    let limit: ByteCount
    /// The limit as written, if it is a formula.
    var formula: String?
    let growths: [PeakGrowth]

    /// Returns the message of a failure: growth, limit, margin, spread.
    func words(_ circumstances: Circumstances) -> String {
        let sizes = growths.map(\.growth)
        let least = sizes.min() ?? .zero
        let bound = growths.map(\.peak.errorBound).max() ?? .zero
        let pages = growths.compactMap(\.programPages).max()
        return """
            peak memory grew by \(Self.text(least)), limit \(Self.text(limit))\(formula.map { " (\($0))" } ?? ""): \
            \(Self.text(least - limit)) too much. \
            \(sizes.count) fresh processes: \(sizes.map { ByteText.fixed($0.mebibytes, places: 2) }.joined(separator: ", ")) MiB \
            (each ± \(Self.text(bound))\(pages.map { "; up to \(Self.text($0)) of program pages are not counted" } ?? "")). \
            \(circumstances.words)
            """
    }

    private static func text(_ count: ByteCount) -> String { ByteText.fixed(count.mebibytes, places: 2) + " MiB" }

    /// The conditions of a measurement, for the message of a failure.
    struct Circumstances: Hashable, Sendable {
        var isDebug: Bool
        var allocator: String

        static let isDebugBuild: Bool = {
            #if DEBUG
                true
            #else
                false
            #endif
        }()

        var words: String {
            let build =
                isDebug
                ? "a debug build, whose figures are higher; limits are meant for release builds "
                    + "(swift test -c release)"
                : "a release build"
            return "Measured in \(build); allocator \(allocator)."
        }
    }
}

/// Judges what repetitions leave allocated against a limit.
struct LeakVerdict: Sendable {
    /// More points add no information but take time quadratically.
    private static let mostPoints = 100

    let limit: LeakLimit
    /// The lasting rise of each process above the limit, with its number of repetitions.
    private var rises: [(rise: RepetitionLine.LastingRise, repetitions: Int)] = []

    init(limit: LeakLimit) { self.limit = limit }

    /// Adds the series of a process; returns true if it is above the limit, `nil` if it is too short.
    ///
    /// It is above if the whole interval of its slope is, or of its slope from the start of a leak, and if it rises
    /// until the end.
    mutating func isAbove(_ series: [Int]) -> Bool? {
        guard series.count >= LeakLimit.fewestRepetitions,
            let line = RepetitionLine(series, each: 1, most: Self.mostPoints)
        else { return nil }
        let bytes = Double(limit.bytesPerRepetition)
        guard let rise = line.rise(above: bytes), goesOn(series, above: bytes) else { return false }
        rises.append((rise, series.count))
        return true
    }

    /// True if the further repetitions of a confirming process rise throughout, or are fewer than the limit has.
    ///
    /// A leak in the first ones continues in them, while a pool fills up.
    private func goesOn(_ series: [Int], above bytes: Double) -> Bool {
        let further = Array(series.dropFirst(limit.repetitions))
        guard further.count >= limit.repetitions,
            let line = RepetitionLine(further, each: 1, most: Self.mostPoints)
        else { return true }
        return line.risesThroughout(above: bytes)
    }

    /// Returns the message of a failure: slopes with their intervals, limit, number of runs.
    func words(_ circumstances: PeakVerdict.Circumstances) -> String {
        let least = rises.map(\.rise.line.slope).min() ?? 0
        let start = rises.compactMap(\.rise.start).min().map { " from about repetition \($0) on" } ?? ""
        return """
            each repetition leaves \(Self.text(least)) bytes allocated\(start), limit \(limit.bytesPerRepetition): \
            \(rises.map { Self.words(of: $0.rise, of: $0.repetitions) }.joined(separator: ", ")) bytes a repetition, in \
            \(rises.count) fresh processes with \(limit.warmUp) repetitions each to warm up; the intervals have 95 % at \
            least. \(circumstances.words)
            """
    }

    private static func words(of rise: RepetitionLine.LastingRise, of repetitions: Int) -> String {
        let interval = rise.line.slopeInterval
        return "\(text(rise.line.slope)) (\(text(interval.lowerBound)) … \(text(interval.upperBound)))"
            + (rise.start.map { " from \($0) on" } ?? "") + " in \(repetitions) repetitions"
    }

    private static func text(_ value: Double) -> String { ByteText.fixed(value, places: 1) }
}
