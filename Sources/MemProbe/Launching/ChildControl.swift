// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What others want of a child while a thread waits for it.
final class ChildControl: Sendable {
    struct Wishes: Sendable {
        var signals: [Int32] = []
        /// What its last line is answered, which may be nothing, or `nil` where that is not known yet.
        var answer: [UInt8]?
        /// How long it may take to leave, in nanoseconds, or `nil` where it need not.
        var patience: Int?
        var isCancelled = false
    }

    private let wishes = Mutex(Wishes())
    /// A pipe, or -1 twice where none can be had.
    private let ends: (read: Int32, write: Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        if cmemprobe_make_pipe(&pair) != 0 { pair = [-1, -1] }
        for end in pair { setNonBlocking(end) }
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// The descriptor that can be read where something is wanted.
    var descriptor: Int32 { ends.read }

    func order(_ signal: Int32) { wish { $0.signals.append(signal) } }

    func answer(_ bytes: [UInt8]) { wish { $0.answer = bytes } }

    /// Ends the child's input and asks it to leave.
    func leave(within patience: Int) { wish { $0.patience = patience } }

    func cancel() { wish { $0.isCancelled = true } }

    /// What is wanted since the last time.
    func take() -> Wishes {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(ends.read, &bytes, bytes.count) > 0 {}
        return wishes.withLock { wishes in
            defer { wishes = Wishes(isCancelled: wishes.isCancelled) }
            return wishes
        }
    }

    private func wish(_ change: (inout Wishes) -> Void) {
        wishes.withLock { change(&$0) }
        var byte: UInt8 = 1
        // A full pipe has told already.
        _ = write(ends.write, &byte, 1)
    }
}

/// Lets reads and writes of a descriptor return at once.
func setNonBlocking(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
}

/// A thread that nothing waits for, with all signals blocked: those belong to the program's own threads, and a write to a
/// pipe that nobody reads has to fail and not to kill.
enum BareThread {
    /// Does `body` on a new thread; where there is none to be had, `otherwise`, which is `body` on this one by itself.
    static func run(otherwise: (() -> Void)? = nil, _ body: @escaping @Sendable () -> Void) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        if DetachedWork.begin(stackSize: 1 << 20, body) != 0 { (otherwise ?? body)() }
    }
}
