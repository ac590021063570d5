// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// Looks at the measured process from outside, where looking costs it nothing.
struct ServerWatch {
    /// How long is waited between two looks.
    static let intervalMicroseconds: UInt32 = 50_000

    private let folder: String
    private let socketsBefore: Int?

    /// The most descriptors that were seen open.
    private(set) var mostDescriptors = 0
    /// The most that TCP sockets held in the kernel, over what they held when it began.
    private(set) var socketByteCount = 0

    init(process: pid_t) {
        folder = "/proc/\(process)/fd"
        socketsBefore = try? SocketMemory.read().tcp.rawValue
    }

    /// Looks once; what cannot be read is left out.
    mutating func look() {
        mostDescriptors = max(mostDescriptors, Self.entries(of: folder) ?? 0)
        guard let socketsBefore, let now = try? SocketMemory.read().tcp.rawValue else { return }
        socketByteCount = max(socketByteCount, now - socketsBefore)
    }

    private static func entries(of folder: String) -> Int? {
        guard var stream = FolderStream(folder) else { return nil }
        var count = 0
        while stream.next() != nil { count += 1 }
        // The folder itself and the one above are entries, too.
        return count - 2
    }
}
