// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension AllocatorIdentity {
    /// The version without build metadata: `5.3.0` of `5.3.0-0-g54eaed1d…`; empty if unknown.
    package var shortVersion: String {
        String((version ?? "").prefix { $0 != "-" })
    }
}
