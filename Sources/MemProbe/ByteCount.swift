// SPDX-License-Identifier: Apache-2.0

/// A number of bytes.
public struct ByteCount: RawRepresentable, Codable, Hashable, Comparable, Sendable {
    /// The count in bytes.
    public var rawValue: Int

    /// Creates a count from a number of bytes.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates a count from a number of bytes.
    public init(_ bytes: Int) { self.rawValue = bytes }

    /// Creates a count from a `/proc` value in `kB`, which means 1024 bytes.
    public init(procKilobytes kilobytes: Int) { self.rawValue = kilobytes * 1024 }

    /// A count of kibibytes, 1024 bytes each.
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(count * 1024) }

    /// A count of mebibytes, 1,048,576 bytes each.
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(count * 1024 * 1024) }

    /// The count in mebibytes, 1,048,576 bytes each.
    public var mebibytes: Double { Double(rawValue) / 1_048_576 }

    /// The order of sizes.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.rawValue < right.rawValue }
}

extension ByteCount: AdditiveArithmetic {
    /// Zero bytes; a measurement, not a missing value.
    public static let zero = ByteCount(0)

    /// The sum of two counts.
    public static func + (left: ByteCount, right: ByteCount) -> ByteCount { ByteCount(left.rawValue + right.rawValue) }

    /// The difference of two counts, negative where the second is larger.
    public static func - (left: ByteCount, right: ByteCount) -> ByteCount { ByteCount(left.rawValue - right.rawValue) }
}
