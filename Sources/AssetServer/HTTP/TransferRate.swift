// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// How fast the origin sends a body.
package enum TransferRate: Hashable, Sendable {
    /// As fast as the client takes it.
    case unlimited
    /// So many bytes a second, in an even rhythm; more than 0.
    case bytesPerSecond(ByteCount)

    /// The rate of the origin unless another is asked for: 60 MiB a second.
    ///
    /// Paced, so that the same client meets the same rhythm in every trial, whatever the machine can do.
    package static let standard = TransferRate.bytesPerSecond(.mebibytes(60))

    /// Creates a rate from `unlimited` or a size a second, as in `60MiB` or `60MiB/s`.
    ///
    /// Returns `nil` for anything else and for a rate of 0, at which nothing would ever arrive.
    package init?(parsing text: String) {
        if text == "unlimited" {
            self = .unlimited
            return
        }
        let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let bytes = ByteCount(parsing: size), bytes > .zero else { return nil }
        self = .bytesPerSecond(bytes)
    }

    /// The rate as it can be parsed again: `unlimited`, `60MiB`.
    package var text: String {
        switch self {
        case .unlimited: "unlimited"
        case .bytesPerSecond(let bytes): bytes.exactText
        }
    }
}

extension TransferRate: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let rate = TransferRate(parsing: text) else {
            throw AssetError(.malformed, "'\(text)' is no rate; try unlimited or 60MiB")
        }
        self = rate
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
