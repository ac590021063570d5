// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The advisory lock of an open file or folder (`flock(2)`), which the kernel gives back when its holder dies.
package enum FileLock {
    private static let attempts = 50
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Takes the lock; half a second is waited for who lets go of it.
    ///
    /// A process that is being started holds what its parent has open until it runs its own program, a lock that the
    /// parent has let go of since, too.
    /// - Returns: Whether it is held now; `errno` says why where it is not.
    package static func take(_ descriptor: CInt) -> Bool {
        for attempt in 1...attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK, attempt < attempts else { break }
            usleep(pauseMicroseconds)
        }
        return false
    }
}
