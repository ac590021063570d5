// SPDX-License-Identifier: Apache-2.0

import Texts

/// The text of commands in messages.
package enum CommandText {
    private static let limit = 60

    /// Returns a command shortened and safe for a terminal.
    package static func safe(_ text: String) -> String {
        SafeText.forTerminal(text.count > limit ? text.prefix(limit - 1) + "…" : text)
    }
}
