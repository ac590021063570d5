// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TrialKit

/// What comes in on standard input.
enum StandardInput {
    /// Everything until the end, or `nil` where it cannot be read.
    static func all() -> [UInt8]? {
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

    /// Waits for the end of standard input, on a thread of its own: reading blocks.
    static func waitForEnd() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = all()
                continuation.resume()
            }
        }
    }
}
