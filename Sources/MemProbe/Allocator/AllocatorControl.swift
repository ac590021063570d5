// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// Requests to the allocator.
public enum AllocatorControl {
    /// Asks the allocator to return free pages to the kernel.
    ///
    /// It calls jemalloc's `arena.<MALLCTL_ARENAS_ALL>.purge`, which leaves thread caches alone, or glibc's
    /// `malloc_trim(0)`.
    ///
    /// - Returns: false if this process's allocator has no such call. True does not mean that pages were returned.
    @discardableResult
    public static func purge() -> Bool {
        // 4096 is MALLCTL_ARENAS_ALL.
        Jemalloc.isPresent ? Jemalloc.call("arena.4096.purge") : cmemprobe_glibc_trim()
    }
}
