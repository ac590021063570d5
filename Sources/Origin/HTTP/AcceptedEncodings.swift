// SPDX-License-Identifier: Apache-2.0

/// The content codings that an `Accept-Encoding` header allows.
package struct AcceptedEncodings: Hashable, Sendable {
    package let allowsGzip: Bool

    /// Reads the values of the header; without one, nothing is compressed.
    ///
    /// RFC 9110, section 12.5.3: a weight of 0 forbids a coding, and `*` matches codings that are not listed.
    package init(_ values: [String]) {
        var named: Bool?
        var others: Bool?
        for item in values.flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = item.split(separator: ";").map(Self.trimmed)
            let isAllowed = parts.dropFirst().allSatisfy { !Self.isZero($0) }
            switch parts.first {
            case "gzip", "x-gzip": named = named == true || isAllowed
            case "*": others = isAllowed
            default: break
            }
        }
        allowsGzip = named ?? others ?? false
    }

    /// True if a parameter is a weight that forbids: 0 or not a number.
    private static func isZero(_ parameter: String) -> Bool {
        let pair = parameter.split(separator: "=", maxSplits: 1).map(trimmed)
        guard pair.first == "q" else { return false }
        return !(pair.count == 2 && (Double(pair[1]) ?? 0) > 0)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
