// SPDX-License-Identifier: Apache-2.0

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

    @Test func thisMachineAnswers() throws {
        let memory = try SocketMemory.read()
        #expect(memory.socketsInUse > 0)
        #expect(memory.tcp >= .zero)
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
