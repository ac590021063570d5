// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which file is at a path, as far as it can be told without reading it: one that is written to or replaced is another.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let seconds: Int
    private let nanoseconds: Int
    /// How long it is.
    let byteCount: Int

    /// Looks at a file; `nil` where there is none.
    init?(at path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(information.st_dev)
        number = UInt64(information.st_ino)
        seconds = Int(information.st_mtim.tv_sec)
        nanoseconds = Int(information.st_mtim.tv_nsec)
        byteCount = Int(information.st_size)
    }
}
