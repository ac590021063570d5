// SPDX-License-Identifier: Apache-2.0

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
