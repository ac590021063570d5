// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// A helper process that ends what it keeps, a child or a folder, when this process is gone.
///
/// It learns of that from the end of a socket, which happens however this process dies. Orphaned descendants of the
/// child become the keeper's own children, so that none escapes and none is confused with another child's.
struct Keeper: ~Copyable {
    let events: Int32
    /// The descriptor that takes signals for the child.
    let orders: Int32
    private let identifier: Int32

    /// Starts a child behind a keeper; with `leavesOthers`, its descendants may outlive it until this process is gone.
    init(starting command: TracedCommand, leavesOthers: Bool) throws(MemProbeError) {
        var made = cmemprobe_keeper()
        let status = GatedChild.withStrings(command) { cmemprobe_keep_child($0, leavesOthers, &made) }
        try self.init(made, status)
    }

    /// Makes a folder that is removed when this process is gone; the first event reports whether it was made.
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

    /// Makes the keeper send a signal to its child; `SIGKILL` ends the child and all its descendants.
    borrowing func order(_ signal: Int32) {
        // Fails only if the keeper is gone, which has ended the child.
        _ = cmemprobe_keeper_order(orders, signal)
        // The child may have stopped the keeper.
        kill(identifier, SIGCONT)
    }

    /// Kills an unresponsive keeper and the group of its child.
    borrowing func overrule(child: Int32) {
        // The number stays the child's until the keeper reaps it.
        if child > 0, ProcessFiles().stat(of: child)?.parent == identifier { kill(-child, SIGKILL) }
        kill(identifier, SIGKILL)
    }

    borrowing func dismiss() { kill(identifier, SIGKILL) }
}

/// A folder that is removed when this process is gone, however it ends.
package final class KeptFolder: Sendable {
    private let keeper: Keeper

    /// Makes the folder, for this user alone.
    package init(at path: String) throws(MemProbeError) {
        keeper = try Keeper(folder: path)
        var event = cmemprobe_keeper_event()
        let isTold = cmemprobe_keeper_next(keeper.events, &event)
        guard isTold, Int(event.kind) == Int(CMEMPROBE_KEEPER_STARTED) else {
            throw MemProbeError(.unwritable, source: path, errno: isTold ? event.failure.error : nil)
        }
    }

    deinit { keeper.dismiss() }
}

/// The processes that outlived the child that started them, and were killed.
package struct Survivors: Codable, Hashable, Sendable {
    package var count: Int
    /// Their names, possibly fewer than ``count``.
    package var names: [String]
    /// Their resident sets added up; shared pages count once per process.
    package var resident: ByteCount
}

extension Survivors {
    /// Decodes a keeper's event; `nil` if nothing was left.
    init?(_ event: cmemprobe_keeper_event) {
        guard event.left_count > 0 else { return nil }
        let text = withUnsafeBytes(of: event.left_names) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            count: Int(event.left_count), names: text.split(separator: "\n").map(String.init),
            resident: ByteCount(Int(event.left_bytes)))
    }
}
