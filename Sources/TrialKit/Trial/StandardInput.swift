// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

package enum StandardInput {
    /// Reads standard input to its end; `nil` if it cannot be read.
    package static func all() -> [UInt8]? {
        SystemCall.readAll(from: STDIN_FILENO)
    }
}
