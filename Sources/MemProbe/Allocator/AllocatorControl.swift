// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// What an allocator can be asked to do.
public enum AllocatorControl {
    /// Asks the allocator to give free pages back to the kernel.
    ///
    /// The corresponding calls are jemalloc's `arena.<MALLCTL_ARENAS_ALL>.purge`, which leaves thread caches alone,
    /// and glibc's `malloc_trim(0)`.
    ///
    /// - Returns: false where the allocator of this process cannot be asked. True says that it was asked;
    ///   there may have been nothing to give.
    @discardableResult
    public static func purge() -> Bool {
        // 4096 is MALLCTL_ARENAS_ALL.
        Jemalloc.isPresent ? Jemalloc.call("arena.4096.purge") : cmemprobe_glibc_trim()
    }
}
