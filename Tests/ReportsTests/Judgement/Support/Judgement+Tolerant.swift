// SPDX-License-Identifier: Apache-2.0

import Judging

extension Judgement {
    /// The same, read by somebody who takes what cannot be compared for no failure.
    var tolerant: Judgement {
        var judgement = self
        judgement.toleratesIncomparable = true
        return judgement
    }
}
