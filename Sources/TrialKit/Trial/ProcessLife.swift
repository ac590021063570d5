// SPDX-License-Identifier: Apache-2.0

import CTrialKit

/// How long this process may live.
package enum ProcessLife {
    /// Ends this process with the one that spawned it: a harness that was killed must leave nothing behind.
    ///
    /// The harness spawns from a thread that lives as long as the harness itself.
    package static func endsWithParent() {
        _ = ctrialkit_end_with_parent()
    }
}
