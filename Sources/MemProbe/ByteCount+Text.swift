// SPDX-License-Identifier: Apache-2.0

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
