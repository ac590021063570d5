// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What comes in on standard input.
package enum StandardInput {
    /// Everything until the end, or `nil` where it cannot be read.
    package static func all() -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
