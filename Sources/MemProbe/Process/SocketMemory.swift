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
        let counts = try Sockstat(parsing: try Descriptor.text(ofFileAt: "\(procRoot)/net/sockstat"))
        return SocketMemory(
            tcp: try ByteCount(pages: counts.tcpPages, ofSize: PeakErrorBound.pageSize, source: "TCP"),
            socketsInUse: counts.socketsInUse)
    }

    private enum CodingKeys: String, CodingKey {
        case tcp = "tcp_bytes"
        case socketsInUse = "sockets_in_use"
    }
}

/// Two lines of `/proc/net/sockstat`.
package struct Sockstat: Hashable, Sendable, ParsedText {
    /// `sockets: used`: the sockets of this network namespace.
    package var socketsInUse: Int
    /// `TCP: … mem`: the pages of TCP socket buffers, over all namespaces.
    package var tcpPages: Int

    package init(parsing text: Span<UInt8>) throws(MemProbeError) {
        var scanner = ByteScanner()
        var sockets: Int?
        var pages: Int?
        while !scanner.isAtEnd(of: text) {
            if scanner.skip("sockets:", in: text) {
                sockets = Self.value("used", &scanner, text)
            } else if scanner.skip("TCP:", in: text) {
                pages = Self.value("mem", &scanner, text)
            }
            scanner.skipLine(in: text)
        }
        guard let sockets else { throw MemProbeError(.malformed, source: "sockets") }
        guard let pages else { throw MemProbeError(.malformed, source: "TCP") }
        socketsInUse = sockets
        tcpPages = pages
    }

    /// Reads the number after a word, in a line of pairs of a word and a number.
    private static func value(
        _ word: StaticString, _ scanner: inout ByteScanner, _ text: Span<UInt8>
    ) -> Int? {
        while true {
            scanner.skipBlanks(in: text)
            let start = scanner.position
            let isFound = scanner.skip(word, in: text) && scanner.skip(" ", in: text)
            if isFound { return scanner.number(in: text) }
            scanner.skipWord(in: text)
            guard scanner.position > start else { return nil }
        }
    }
}
