// SPDX-License-Identifier: Apache-2.0

/// A number of bytes.
public struct ByteCount: RawRepresentable, Codable, Hashable, Comparable, Sendable, BitwiseCopyable {
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

extension ByteCount {
    private static let units: [(symbol: String, bytes: Int)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// Parses a size such as `65536`, `64KiB`, `64 MiB` or `1.5GiB`.
    ///
    /// Units are binary and case-insensitive. `MB` and the like are refused because they are ambiguous (1,000,000 or
    /// 1,048,576). Returns `nil` for anything else, for a negative size and for one beyond 2⁶³ − 1.
    public init?(parsing text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let symbol = String(text.dropFirst(digits.count).drop { $0 == " " }).lowercased()
        guard !digits.isEmpty, let number = Double(digits),
            let unit = symbol.isEmpty ? Self.units[0] : Self.units.first(where: { $0.symbol.lowercased() == symbol })
        else { return nil }
        if let whole = Int(digits) {
            let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit.bytes)
            guard !overflow else { return nil }
            self.init(bytes)
            return
        }
        let bytes = number * Double(unit.bytes)
        guard bytes == bytes.rounded(), let exact = Int(exactly: bytes) else { return nil }
        self.init(exact)
    }

    /// The size in the largest unit that divides it, so that it can be parsed again: `64MiB`, `1000B`.
    public var exactText: String {
        let unit = Self.units.last { rawValue != 0 && rawValue.isMultiple(of: $0.bytes) } ?? Self.units[0]
        return "\(rawValue / unit.bytes)\(unit.symbol)"
    }
}
