// SPDX-License-Identifier: Apache-2.0

import Texts

/// Sizes of what is held: a row of a few KiB is not nothing.
package enum SizeText {
    /// Bytes in MiB with one decimal place, and in KiB where that would say nothing: `12.5 MiB`, `12 KiB`.
    package static func text(_ bytes: Int) -> String {
        let size = Double(bytes)
        guard bytes != 0, abs(size) < 0.1 * 1_048_576 else { return ByteText.mebibytes(size) }
        return ByteText.fixed(size / 1024, places: abs(size) < 1024 ? 1 : 0) + " KiB"
    }

    /// The same where two sizes are told apart: below 1 MiB one decimal place is too few.
    static func precise(_ bytes: Int) -> String {
        abs(Double(bytes)) < 1_048_576
            ? ByteText.fixed(Double(bytes) / 1_048_576, places: 2) + " MiB" : ByteText.mebibytes(Double(bytes))
    }
}
