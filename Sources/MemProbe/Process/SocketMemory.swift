// SPDX-License-Identifier: Apache-2.0

/// The kernel memory of sockets, which is in no process's resident set.
///
/// Data that a slow consumer has not read stays there. The TCP buffers of the whole machine are counted together:
/// compare two readings of an otherwise idle machine.
public struct SocketMemory: Codable, Hashable, Sendable {
    /// The memory of all TCP socket buffers of the machine.
    public var tcp: ByteCount
    /// The number of sockets in this network namespace.
    public var socketsInUse: Int

    /// Reads `/proc/net/sockstat`.
    ///
    /// - Parameter procRoot: the folder to read in the place of `/proc`, for recorded files.
    /// - Throws: ``MemProbeError/Code/unreadable`` if the file is hidden, ``MemProbeError/Code/malformed`` if it cannot
    ///   be parsed.
    public static func read(procRoot: String = "/proc") throws(MemProbeError) -> SocketMemory {
        let counts = try Sockstat(parsing: try SmallFile.text(at: "\(procRoot)/net/sockstat"))
        return SocketMemory(
            tcp: try ByteCount(pages: counts.tcpPages, ofSize: PeakErrorBound.pageSize, source: "TCP"),
            socketsInUse: counts.socketsInUse)
    }

    private enum CodingKeys: String, CodingKey {
        case tcp = "tcp_bytes"
        case socketsInUse = "sockets_in_use"
    }
}
