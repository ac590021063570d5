// SPDX-License-Identifier: Apache-2.0

import Foundation
package import MemProbe

/// Figures in readable form: always MiB, never "MB".
package enum ByteText {
    /// Returns bytes in MiB with one decimal place: `12.5 MiB`.
    package static func mebibytes(_ bytes: Double) -> String {
        fixed(bytes / 1_048_576, places: 1) + " MiB"
    }

    package static func mebibytes(_ count: ByteCount) -> String {
        mebibytes(Double(count.rawValue))
    }

    /// Returns a number with a fixed number of decimal places; a rounded zero has no sign.
    package static func fixed(_ value: Double, places: Int) -> String {
        let text = String(format: "%.\(places)f", value)
        return text.hasPrefix("-") && !text.contains { ("1"..."9").contains($0) } ? String(text.dropFirst()) : text
    }
}
