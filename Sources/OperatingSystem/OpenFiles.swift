// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The number of files that this process may have open at once.
package enum OpenFiles {
    /// The files that a command has open besides those that it asks for: its streams, its lock, what it writes.
    private static let others = 32

    /// Raises the soft limit, if that is possible, so that `count` more files can be open, and returns how many can.
    ///
    /// Shells begin with a soft limit of 1024; the hard limit is the system's, and usually far above it.
    package static func room(for count: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return count }
        let needed = rlim_t(count + others)
        if limit.rlim_cur < needed {
            let before = limit.rlim_cur
            limit.rlim_cur = min(needed, limit.rlim_max)
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        }
        return max(0, Int(clamping: limit.rlim_cur) - others)
    }
}
