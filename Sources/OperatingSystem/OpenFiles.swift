// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The files that a command has open besides those that it asks for: its streams, its lock, what it writes.
private let otherOpenFiles = 32

/// Raises the soft limit of open files, if that is possible, so that `count` more can be open, and returns how many can.
///
/// Shells begin with a soft limit of 1024; the hard limit is the system's, and usually far above it.
package func roomForOpenFiles(_ count: Int) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return count }
    let needed = rlim_t(count + otherOpenFiles)
    if limit.rlim_cur < needed {
        let before = limit.rlim_cur
        limit.rlim_cur = min(needed, limit.rlim_max)
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    }
    return max(0, Int(clamping: limit.rlim_cur) - otherOpenFiles)
}
