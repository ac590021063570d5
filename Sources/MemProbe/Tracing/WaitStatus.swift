// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a wait says about a thread or process.
package enum WaitStatus: Hashable, Sendable {
    /// A new child's number has come with it.
    case child
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
    /// It was ended by a signal.
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
        case 1, 2, 3: self = .child  // PTRACE_EVENT_FORK, _VFORK, _CLONE
        case 4: self = .exec  // PTRACE_EVENT_EXEC
        case 6: self = .exit  // PTRACE_EVENT_EXIT
        case 128: self = signal == SIGTRAP ? .pause : .groupStop  // PTRACE_EVENT_STOP
        case 0: self = .delivery(signal: signal)
        default: self = .pause
        }
    }
}
