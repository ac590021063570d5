// SPDX-License-Identifier: Apache-2.0

import Foundation
import TrialKit

extension StandardInput {
    /// Waits for the end of standard input on a separate thread, because reading blocks.
    static func waitForEnd() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = all()
                continuation.resume()
            }
        }
    }
}
