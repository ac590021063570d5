// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The mounted `/proc`, in which processes have numbers.
///
/// A new PID namespace (`unshare --pid`) numbers processes anew. Where it still has the `/proc` of the old one, every
/// number there is another process's.
public enum ProcFileSystem {
    /// The reason why processes cannot be found by their numbers here, or `nil` if they can.
    ///
    /// It is ``MemProbeError/Code/otherNamespace``, or ``MemProbeError/Code/unreadable`` without a `/proc`.
    public static let obstacle: MemProbeError? =
        switch cmemprobe_check_proc() {
        case 0: nil
        case ESRCH: MemProbeError(.otherNamespace, source: "/proc")
        case let errno: MemProbeError(.unreadable, source: "/proc/self", errno: errno)
        }
}
