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
            throw PlanMistake("\(flag): '\(words)' has no unit; \(number.rawValue)MiB, or \(number.rawValue)B?")
        }
        guard let size = ByteCount(parsing: text), size > .zero else {
            throw PlanMistake("\(flag): '\(words)' is no limit; give a size with its unit, such as 200MiB")
        }
        return size
    }
}
