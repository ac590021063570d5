// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

/// The size of a limit as a user writes it.
package enum LimitText {
    /// Parses a size above zero with its unit: without one, 200 would be a limit of 200 bytes.
    /// - Throws: ``PlanMistake`` with the flag, the value and what is meant.
    package static func size(parsing text: String, of flag: String) throws(PlanMistake) -> ByteCount {
        let words = SafeText.forTerminal(text)
        if let number = ByteCount(parsing: text), text.allSatisfy({ $0.isNumber || $0 == "." }) {
            throw PlanMistake(
                "invalid \(flag) '\(words)': the unit is missing; write \(number.rawValue)MiB or \(number.rawValue)B")
        }
        guard let size = ByteCount(parsing: text), size > .zero else {
            throw PlanMistake("invalid \(flag) '\(words)': expected a size with a unit, such as 200MiB")
        }
        return size
    }
}
