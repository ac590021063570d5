// SPDX-License-Identifier: Apache-2.0

import Texts

package enum SizeText {
    /// Returns bytes in MiB with one decimal place, or in KiB below 0.1 MiB: `12.5 MiB`, `12 KiB`.
    package static func text(_ bytes: Int) -> String {
        let size = Double(bytes)
        guard bytes != 0, abs(size) < 0.1 * 1_048_576 else { return ByteText.mebibytes(size) }
        return ByteText.fixed(size / 1024, places: abs(size) < 1024 ? 1 : 0) + " KiB"
    }

    /// Returns bytes in MiB with two decimal places below 1 MiB, to distinguish two sizes.
    static func precise(_ bytes: Int) -> String {
        abs(Double(bytes)) < 1_048_576
            ? ByteText.fixed(Double(bytes) / 1_048_576, places: 2) + " MiB" : ByteText.mebibytes(Double(bytes))
    }
}
