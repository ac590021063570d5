// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Lets one thread shut a socket down while another one waits on it.
package final class SocketLine: Sendable {
    private struct State {
        var descriptor: Int32?
        var isCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends all waits on the socket, present and future, including the one for a connection, by `shutdown(2)`.
    package func cut() {
        state.withLock { state in
            state.isCut = true
            // Under the lock, because the number of a closed socket may be in use again.
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func hold(_ descriptor: Int32) {
        state.withLock { $0.descriptor = descriptor }
    }

    /// True once it was cut; before the socket is connected, only this prevents a wait.
    var isCut: Bool { state.withLock { $0.isCut } }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            state.descriptor = nil
            Glibc.close(descriptor)
        }
    }
}
