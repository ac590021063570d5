// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A small process beside this one that ends what it keeps, a child or a folder, when this process is gone.
///
/// It is told of that by the end of a socket, which no way of dying can prevent. A child's descendants become the
/// keeper's own children when their parents die, so that none escapes it, and none of another child is mistaken for
/// one of them.
struct Keeper: ~Copyable {
    let events: Int32
    /// The descriptor that takes signals for the child.
    let orders: Int32
    private let identifier: Int32

    /// Starts a child behind a keeper.
    ///
    /// - Parameter leavesOthers: whether what the child starts may go on after it, until this process is gone.
    /// - Throws: ``MemProbeError/Code/exhausted`` where no process or descriptor can be had.
    init(starting command: TracedCommand, leavesOthers: Bool) throws(MemProbeError) {
        var made = cmemprobe_keeper()
        let status = GatedChild.withStrings(command) { cmemprobe_keep_child($0, leavesOthers, &made) }
        try self.init(made, status)
    }

    /// Makes a folder that is removed when this process is gone; the first event says whether it was made.
    ///
    /// - Throws: ``MemProbeError/Code/exhausted`` where no process or descriptor can be had.
    init(folder path: String) throws(MemProbeError) {
        var made = cmemprobe_keeper()
        let status = cmemprobe_keep_folder(path, &made)
        try self.init(made, status)
    }

    private init(_ made: cmemprobe_keeper, _ status: CInt) throws(MemProbeError) {
        guard status == 0 else { throw MemProbeError(.exhausted, source: "fork", errno: status) }
        (identifier, orders, events) = (made.identifier, made.orders, made.events)
    }

    deinit {
        close(orders)
        close(events)
        kill(identifier, SIGCONT)
        _ = SystemCall.retried { waitpid(identifier, nil, 0) }
    }

    /// Has the keeper send a signal to its child; `SIGKILL` ends the child and all that comes of it.
    borrowing func order(_ signal: Int32) {
        // A keeper that is gone has ended the child.
        _ = cmemprobe_keeper_order(orders, signal)
        // What it keeps may have stopped it.
        kill(identifier, SIGCONT)
    }

    /// Ends a keeper that does not do what it is told, and the group of its child.
    borrowing func overrule(child: Int32) {
        // The number is the child's as long as the keeper has not taken it away.
        if child > 0, ProcessFiles().stat(of: child)?.parent == identifier { kill(-child, SIGKILL) }
        kill(identifier, SIGKILL)
    }

    /// Ends the keeper, which then does nothing to what it keeps.
    borrowing func dismiss() {
        kill(identifier, SIGKILL)
    }
}

/// A folder that is removed when this process is gone, however it ends.
package final class KeptFolder: Sendable {
    private let keeper: Keeper

    /// Makes the folder, for this user alone.
    ///
    /// - Throws: ``MemProbeError/Code/unwritable`` with the `errno` of `mkdir`, or ``MemProbeError/Code/exhausted``.
    package init(at path: String) throws(MemProbeError) {
        keeper = try Keeper(folder: path)
        var event = cmemprobe_keeper_event()
        let isTold = cmemprobe_keeper_next(keeper.events, &event)
        guard isTold, Int(event.kind) == Int(CMEMPROBE_KEEPER_STARTED) else {
            throw MemProbeError(.unwritable, source: path, errno: isTold ? event.failure.error : nil)
        }
    }

    deinit {
        keeper.dismiss()
    }
}
