// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// What one thread cuts while another one waits on a socket.
package final class SocketLine: Sendable {
    private struct State {
        /// The socket, from when it was made to when it is closed.
        var descriptor: Int32?
        var isCut = false
    }

    private let state = Mutex(State())

    /// Creates a line without a socket.
    package init() {}

    /// Ends every wait on the socket, that for a connection too, and every later one at once.
    ///
    /// The corresponding call is `shutdown(2)`.
    package func cut() {
        state.withLock { state in
            state.isCut = true
            // Under the lock, so that nobody shuts down another socket of the same number.
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func hold(_ descriptor: Int32) {
        state.withLock { $0.descriptor = descriptor }
    }

    /// Whether it was cut: before the socket was connected that alone keeps anybody from waiting.
    var isCut: Bool { state.withLock { $0.isCut } }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            state.descriptor = nil
            Glibc.close(descriptor)
        }
    }
}
