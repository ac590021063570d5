// SPDX-License-Identifier: Apache-2.0

import CTrialKit

package enum ProcessLife {
    /// Ends this process with its parent, so that a killed harness leaves nothing behind.
    ///
    /// The harness spawns from a thread that lives as long as the harness itself.
    package static func endsWithParent() {
        _ = ctrialkit_end_with_parent()
    }
}
