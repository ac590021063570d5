// SPDX-License-Identifier: Apache-2.0

import Texts

/// The profile itself as JSON: what all other formats can be made of again.
package enum ProfileDocument {
    package static func text(of profile: HolderProfile) -> String {
        JSONText.pretty(profile)
    }
}
