// SPDX-License-Identifier: Apache-2.0

import Libc

/// The event that a wait reports of a thread or process.
package enum WaitStatus: Hashable, Sendable {
    /// The thread has started a child or another thread, whose number comes with the event.
    case child(Birth)
    /// The thread is stopped before the first instruction of a new program.
    case exec
    /// The thread is stopped at its end, with its memory.
    case exit
    /// A stop signal stopped the process until it is told to continue.
    case groupStop
    /// It is stopped because it was attached to, or because a group stop is over.
    case pause
    /// It is about to receive a signal.
    case delivery(signal: Int32)
    case exited(status: Int32)
    case killed(signal: Int32)

    /// Decodes a status of `wait4`.
    ///
    /// Its layout is described in `ptrace(2)`: a stop is `0x7f`, above it the signal, above that the event.
    package init(_ status: Int32) {
        let low = status & 0x7f
        guard status & 0xff == 0x7f else {
            self = low == 0 ? .exited(status: status >> 8 & 0xff) : .killed(signal: low)
            return
        }
        let signal = status >> 8 & 0xff
        switch status >> 16 {
        case 1: self = .child(.fork)  // PTRACE_EVENT_FORK
        case 2: self = .child(.vfork)  // PTRACE_EVENT_VFORK
        case 3: self = .child(.clone)  // PTRACE_EVENT_CLONE
        case 4: self = .exec  // PTRACE_EVENT_EXEC
        case 6: self = .exit  // PTRACE_EVENT_EXIT
        case 128: self = signal == SIGTRAP ? .pause : .groupStop  // PTRACE_EVENT_STOP
        case 0: self = .delivery(signal: signal)
        default: self = .pause
        }
    }

    /// The way a thread or process was started, according to its parent's stop.
    package enum Birth: Hashable, Sendable {
        /// As by `fork`: the child reports its end by `SIGCHLD`, and its parent runs on.
        case fork
        /// As by `vfork` and `posix_spawn`: the parent waits until the child executes a program or ends.
        case vfork
        /// In any other way, such as a thread.
        case clone

        /// Whose memory the child uses, for when the flags of the call cannot be read.
        package var memory: ChildMemory {
            switch self {
            case .fork: .own
            case .vfork: .parents
            case .clone: .unknown
            }
        }
    }
}
