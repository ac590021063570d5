// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// This process's settings for events of its children, restored at the end.
///
/// While it lives, `SIGCHLD` is kept for ``wait(until:)``, and orphaned descendants become children of this process,
/// which otherwise could not reap them.
struct ChildWatch: ~Copyable {
    private var handler = sigaction()
    private var mask = sigset_t()
    private let wasSubreaper: Bool

    init() {
        wasSubreaper = cmemprobe_is_subreaper()
        _ = cmemprobe_set_subreaper(true)
        // All zeros is the default: a program that ignores the signal would lose the exit statuses of its children.
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

    /// Waits for an event or until a time, for at most 5 ms: another thread may receive the signal.
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
