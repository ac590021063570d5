// SPDX-License-Identifier: Apache-2.0

/// What sockets hold in the kernel, which no process's resident set shows.
///
/// A slow consumer that merely stops reading leaves its data there. The machine's TCP buffers are counted
/// together: compare two readings of a quiet machine.
public struct SocketMemory: Codable, Hashable, Sendable {
    /// The memory of all TCP socket buffers of the machine.
    public var tcp: ByteCount

    /// The sockets that exist in this network namespace.
    public var socketsInUse: Int

    /// Reads it.
    ///
    /// The corresponding file is `/proc/net/sockstat`.
    ///
    /// - Throws: ``MemProbeError/Code/unreadable`` where the file is hidden,
    ///   ``MemProbeError/Code/malformed`` where it is not understood.
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
