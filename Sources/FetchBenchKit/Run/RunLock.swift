// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support

/// Holds a run's folder for one harness: a second one would write between the first one's lines.
package final class RunLock: Sendable {
    private let descriptor: Int32

    /// Takes the folder.
    /// - Throws: ``FetchBenchError/runIsGoingOn(name:)`` where another process has it.
    package init(_ folder: RunFolder) throws(FetchBenchError) {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FetchBenchError.file(.cannotRead(name: folder.name, errno: errno)) }
        guard Self.isHeld(descriptor) else {
            close(descriptor)
            throw FetchBenchError.runIsGoingOn(name: folder.name)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Takes the lock of a folder; a moment is waited for who lets go of it.
    ///
    /// A process that is being started holds what its parent has open until it runs its own program, a lock that the
    /// parent has let go of since, too.
    private static func isHeld(_ descriptor: Int32) -> Bool {
        for attempt in 0..<50 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK, attempt < 49 else { break }
            usleep(10_000)
        }
        return false
    }
}
