// SPDX-License-Identifier: Apache-2.0

import Texts

/// What is said of commands before they are run.
package enum CommandText {
    /// The most characters of a command that a complaint repeats.
    private static let limit = 60

    /// A command as a complaint names it: harmless, and not longer than needed to know it again.
    package static func safe(_ text: String) -> String {
        SafeText.forTerminal(text.count > limit ? text.prefix(limit - 1) + "…" : text)
    }
}
