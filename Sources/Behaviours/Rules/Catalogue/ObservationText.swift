// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Texts

/// The notation of figures in observations.
enum ObservationText {
    static func mebibytes(_ bytes: Int) -> String { ByteText.mebibytes(ByteCount(bytes)) }

    /// Returns seconds with one digit, or `never` for a client that did not leave.
    static func seconds(_ seconds: Double?) -> String {
        guard let seconds else { return "never" }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Returns `1 request`, `2 requests`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
