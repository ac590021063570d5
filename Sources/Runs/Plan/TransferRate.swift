// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The rate at which the embedded origin sends a body.
package enum TransferRate: Hashable, Sendable {
    case unlimited
    /// An evenly paced rate, more than 0.
    case bytesPerSecond(ByteCount)

    /// The default rate: 60 MiB a second.
    ///
    /// Pacing gives every trial the same rhythm, independent of the machine's speed.
    package static let standard = TransferRate.bytesPerSecond(.mebibytes(60))

    /// Parses `unlimited` or bytes per second, such as `60MiB` or `60MiB/s`; a rate of 0 is invalid.
    package init?(parsing text: String) {
        if text == "unlimited" {
            self = .unlimited
            return
        }
        let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let bytes = ByteCount(parsing: size), bytes > .zero else { return nil }
        self = .bytesPerSecond(bytes)
    }

    /// The rate in a form that can be parsed again: `unlimited`, `60MiB`.
    package var text: String {
        switch self {
        case .unlimited: "unlimited"
        case .bytesPerSecond(let bytes): bytes.exactText
        }
    }
}
