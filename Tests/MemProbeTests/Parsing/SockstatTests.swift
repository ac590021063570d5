// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Testing

struct SockstatTests {
    @Test func pagesOfTCPAndSocketsAreRead() throws {
        let text = """
            sockets: used 1184
            TCP: inuse 31 orphan 2 tw 5 alloc 44 mem 7301
            UDP: inuse 8 mem 12
            UDPLITE: inuse 0
            RAW: inuse 0
            FRAG: inuse 0 memory 0

            """
        let sockstat = try Sockstat(parsing: text)
        #expect(sockstat.socketsInUse == 1184)
        #expect(sockstat.tcpPages == 7301)
    }

    @Test(arguments: [
        ("", "sockets"), ("sockets: used many\nTCP: mem 1\n", "sockets"), ("sockets: 12\nTCP: mem 1\n", "sockets"),
        ("sockets: used\n12\nTCP: mem 1\n", "sockets"), ("sockets: used 12\n", "TCP"),
        ("sockets: used 12\nTCP: inuse 1\nUDP: inuse 0 mem 3\n", "TCP"),
        ("sockets: used 12\nTCP: inuse 1 mem\n", "TCP"), ("sockets: used 12\nTCP: mem 99999999999999999999\n", "TCP"),
        ("sockets: used 12\nTCP: memory 5\n", "TCP"),
    ])
    func aMissingNumberIsNamed(text: String, field: String) {
        #expect(throws: MemProbeError(.malformed, source: field)) { try Sockstat(parsing: text) }
    }

    /// Other tests open and close sockets meanwhile, so that one of a few attempts has to show it.
    @Test func unreadBytesInSocketsAreCounted() throws {
        var seen: [(sent: Int, tcp: ByteCount, sockets: Int)] = []
        for _ in 0..<20 {
            let before = try SocketMemory.read()
            let sockets = try UnreadSockets(idle: 100)
            let after = try SocketMemory.read()
            seen.append((sockets.sentByteCount, after.tcp - before.tcp, after.socketsInUse - before.socketsInUse))
            let isCounted = seen.contains {
                $0.sent >= 1 << 20 && $0.tcp.rawValue > $0.sent / 2 && $0.tcp.rawValue < 32 * $0.sent
            }
            if isCounted, seen.contains(where: { (80..<400).contains($0.sockets) }) { return }
            usleep(50_000)
        }
        Issue.record("what was sent, the growth of TCP's memory and of the sockets: \(seen)")
    }

    @Test func aMachineWithoutTheFileIsSaidToBeUnreadable() {
        #expect {
            try SocketMemory.read(procRoot: "/nonexistent")
        } throws: { error in
            (error as? MemProbeError)?.code == .unreadable
                && (error as? MemProbeError)?.source == "/nonexistent/net/sockstat"
        }
    }
}
