// SPDX-License-Identifier: Apache-2.0

/// The times of samples: at one interval, and after a while at a slower one.
public struct SamplingSchedule: Codable, Hashable, Sendable {
    /// The time between two samples, in nanoseconds.
    public let intervalNanoseconds: Int
    /// The time after which the slower interval begins, in nanoseconds; `nil` for never.
    public let slowAfterNanoseconds: Int?
    /// The slower interval, in nanoseconds.
    public let slowIntervalNanoseconds: Int

    /// Creates a schedule of positive intervals.
    public init(intervalNanoseconds: Int, slowAfterNanoseconds: Int? = nil, slowIntervalNanoseconds: Int? = nil) {
        let slow = slowIntervalNanoseconds ?? intervalNanoseconds
        precondition(intervalNanoseconds > 0 && slow > 0, "an interval is positive")
        precondition((slowAfterNanoseconds ?? 0) >= 0, "a time is not negative")
        self.intervalNanoseconds = intervalNanoseconds
        self.slowAfterNanoseconds = slowAfterNanoseconds
        self.slowIntervalNanoseconds = slow
    }

    /// 1 kHz for 10 s, then 100 Hz: about 2 % of a core, then 0.3 %.
    public static let standard = SamplingSchedule(
        intervalNanoseconds: 1_000_000, slowAfterNanoseconds: 10_000_000_000, slowIntervalNanoseconds: 10_000_000)

    /// Returns the most samples that a time in nanoseconds can need, the first and the last included.
    public func capacity(forNanoseconds duration: Int) -> Int {
        precondition(duration >= 0, "a time is not negative")
        let fast = min(duration, slowAfterNanoseconds ?? duration)
        return fast / intervalNanoseconds + (duration - fast) / slowIntervalNanoseconds + 3
    }

    /// Returns the interval that applies this many nanoseconds after the start.
    package func interval(at elapsed: Int) -> Int {
        guard let slowAfterNanoseconds, elapsed >= slowAfterNanoseconds else { return intervalNanoseconds }
        return slowIntervalNanoseconds
    }

    /// Returns the time of the next sample, a multiple of the interval after the previous one; missed samples are
    /// skipped.
    package static func next(after due: Int, now: Int, interval: Int) -> Int {
        let missed = max(0, now - due) / interval
        return due + (missed + 1) * interval
    }
}

extension SamplingSchedule {
    private enum CodingKeys: String, CodingKey {
        case intervalNanoseconds = "interval_ns"
        case slowAfterNanoseconds = "slow_after_ns"
        case slowIntervalNanoseconds = "slow_interval_ns"
    }

    /// Decodes a schedule; throws if an interval is not positive.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let interval = try container.decode(Int.self, forKey: .intervalNanoseconds)
        let slowAfter = try container.decodeIfPresent(Int.self, forKey: .slowAfterNanoseconds)
        let slow = try container.decodeIfPresent(Int.self, forKey: .slowIntervalNanoseconds) ?? interval
        guard interval > 0, slow > 0, (slowAfter ?? 0) >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .intervalNanoseconds, in: container, debugDescription: "an interval is positive")
        }
        self.init(intervalNanoseconds: interval, slowAfterNanoseconds: slowAfter, slowIntervalNanoseconds: slow)
    }
}
