// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// Reads the measured process from outside, at no cost to it.
struct ServerWatch {
    static let intervalMicroseconds: UInt32 = 50_000

    private let folder: String
    private let socketsBefore: Int?

    private(set) var mostDescriptors = 0
    /// The most kernel memory of TCP sockets, minus that at the start.
    private(set) var socketByteCount = 0

    init(process: pid_t) {
        folder = "/proc/\(process)/fd"
        socketsBefore = try? SocketMemory.read().tcp.rawValue
    }

    /// Reads once; what cannot be read is skipped.
    mutating func look() {
        mostDescriptors = max(mostDescriptors, Self.entries(of: folder) ?? 0)
        guard let socketsBefore, let now = try? SocketMemory.read().tcp.rawValue else { return }
        socketByteCount = max(socketByteCount, now - socketsBefore)
    }

    private static func entries(of folder: String) -> Int? {
        guard var stream = FolderStream(folder) else { return nil }
        var count = 0
        while stream.next() != nil { count += 1 }
        // The entries `.` and `..` are not descriptors.
        return count - 2
    }
}
