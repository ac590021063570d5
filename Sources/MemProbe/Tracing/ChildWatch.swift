// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How this process hears of its children's changes, set back when it is over.
///
/// While it lives, the signal of a change is kept for ``wait(until:)``, and descendants whose parents have died
/// become children of this process: otherwise nobody here could take them away.
struct ChildWatch: ~Copyable {
    private var handler = sigaction()
    private var mask = sigset_t()
    private let wasSubreaper: Bool

    init() {
        wasSubreaper = cmemprobe_is_subreaper()
        _ = cmemprobe_set_subreaper(true)
        // All zeros is the default: a program that ignores the signal would lose how its children ended.
        var standard = sigaction()
        sigaction(SIGCHLD, &standard, &handler)
        var changes = Self.changes
        pthread_sigmask(SIG_BLOCK, &changes, &mask)
    }

    deinit {
        var mask = mask
        var handler = handler
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGCHLD, &handler, nil)
        _ = cmemprobe_set_subreaper(wasSubreaper)
    }

    /// Waits for a change, or until a time.
    ///
    /// In a process with other threads one of them may get the signal: so it returns every 5 ms at the latest.
    borrowing func wait(until time: Int) {
        let nanoseconds = min(time - MonotonicClock.now(), 5_000_000)
        guard nanoseconds > 0 else { return }
        var rest = timespec(nanoseconds: nanoseconds)
        var changes = Self.changes
        sigtimedwait(&changes, nil, &rest)
    }

    private static var changes: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGCHLD)
        return set
    }
}
