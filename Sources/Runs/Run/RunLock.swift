// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
import TrialKit

/// Holds a run's folder for one harness: a second one would write between the first one's lines.
package final class RunLock: Sendable {
    private let descriptor: Int32

    /// Takes the folder.
    /// - Throws: ``FetchBenchError/runIsGoingOn(name:)`` where another process has it.
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
