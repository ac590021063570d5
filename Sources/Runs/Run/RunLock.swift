// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
import TrialKit

/// An exclusive lock on a run's folder: two harnesses would mix their lines.
package final class RunLock: Sendable {
    private let descriptor: Int32

    /// Locks the folder, or throws ``FetchBenchError/runIsGoingOn(name:)``.
    package init(_ folder: RunFolder) throws(FetchBenchError) {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FetchBenchError.file(.cannotRead(name: folder.name, errno: errno)) }
        guard FileLock.take(descriptor) else {
            close(descriptor)
            throw FetchBenchError.runIsGoingOn(name: folder.name)
        }
    }

    deinit {
        close(descriptor)
    }
}
