// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How a thread or process was begun, as its parent's stop says.
package enum Birth: Hashable, Sendable {
    /// As `fork` does: the child tells of its end by `SIGCHLD`, and its parent runs on.
    case fork
    /// As `vfork` and `posix_spawn` do: its parent stands still until the child has become a program or ended.
    case vfork
    /// In any other way, as threads are begun.
    case clone

    /// Whose memory such a child uses as far as this says it, where the flags of the call cannot be read.
    package var memory: ChildMemory {
        switch self {
        case .fork: .own
        case .vfork: .parents
        case .clone: .unknown
        }
    }
}

/// What a wait says about a thread or process.
package enum WaitStatus: Hashable, Sendable {
    /// The thread has begun a child or another thread, whose number has come with it.
    case child(Birth)
    /// The thread stands before the first instruction of a new program.
    case exec
    /// The thread stands at its end, with its memory.
    case exit
    /// A stop signal stopped the process; it stays stopped until it is told to go on.
    case groupStop
    /// It stands because it was attached to, or because a group stop is over.
    case pause
    /// It is about to get a signal.
    case delivery(signal: Int32)
    /// It has ended by itself.
    case exited(status: Int32)
    case killed(signal: Int32)

    /// Takes a status of `wait4` apart.
    ///
    /// The layout is that of `ptrace(2)`: a stop is `0x7f`, above it the signal, above that the event.
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
}
