// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of a file without its contents: it changes when the file is written or replaced.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let seconds: Int
    private let nanoseconds: Int
    let byteCount: Int

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
