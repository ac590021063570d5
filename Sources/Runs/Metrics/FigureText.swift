// SPDX-License-Identifier: Apache-2.0

package import Statistics
import Texts

/// The text of figures in tables; a missing one is a dash, never zero.
package enum FigureText {
    package static let absent = "–"

    package static func growth(_ bytes: Double?) -> String {
        guard let bytes else { return absent }
        return (bytes < 0 ? "" : "+") + ByteText.fixed(bytes / 1_048_576, places: 2)
    }

    package static func size(_ bytes: Double?) -> String {
        bytes.map { ByteText.fixed($0 / 1_048_576, places: 2) } ?? absent
    }

    package static func range(_ values: Distribution?) -> String {
        guard let values else { return absent }
        return size(values.minimum) + " … " + size(values.maximum)
    }

    package static func percent(_ ratio: Double?) -> String {
        ratio.map { ByteText.fixed($0 * 100, places: 2) + " %" } ?? absent
    }

    package static func milliseconds(_ nanoseconds: Double?) -> String {
        nanoseconds.map { ByteText.fixed($0 / 1e6, places: 1) } ?? absent
    }

    package static func ratio(_ value: Double?) -> String {
        value.map { ByteText.fixed($0, places: 2) } ?? absent
    }

    package static func count(_ summary: CaseSummary) -> String {
        summary.failed == 0 ? "\(summary.completed)" : "\(summary.completed) (\(summary.failed) failed)"
    }
}
