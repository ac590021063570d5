// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The advisory lock of an open file or folder (`flock(2)`), which the kernel releases when its holder dies.
package enum FileLock {
    private static let attempts = 50
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Takes the lock, waiting up to half a second for its holder.
    ///
    /// A process that is being started holds its parent's descriptors until it executes its own program, including a
    /// lock that the parent has released since.
    /// - Returns: True if the lock is held now; otherwise `errno` has the reason.
    package static func take(_ descriptor: CInt) -> Bool {
        for attempt in 1...attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK, attempt < attempts else { break }
            usleep(pauseMicroseconds)
        }
        return false
    }
}
