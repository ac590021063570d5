// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// What comes in on standard input.
package enum StandardInput {
    /// Everything until the end, or `nil` where it cannot be read.
    package static func all() -> [UInt8]? {
        SystemCall.readAll(from: STDIN_FILENO)
    }
}
