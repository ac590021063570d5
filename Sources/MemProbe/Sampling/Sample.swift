// SPDX-License-Identifier: Apache-2.0

/// One timed reading of a process.
public struct Sample: Codable, Hashable, Sendable {
    /// The time of the reading, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timeNanoseconds: Int
    /// The resident set.
    public var resident: ByteCount
    /// The resident pages of files and shared memory.
    public var shared: ByteCount
    /// The resident pages that no file backs.
    public var anonymous: ByteCount { resident - shared }

    /// Creates a sample.
    public init(timeNanoseconds: Int, resident: ByteCount, shared: ByteCount) {
        self.timeNanoseconds = timeNanoseconds
        self.resident = resident
        self.shared = shared
    }

    private enum CodingKeys: String, CodingKey {
        case timeNanoseconds = "time_ns"
        case resident = "resident_bytes"
        case shared = "shared_bytes"
    }
}
