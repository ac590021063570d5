// SPDX-License-Identifier: Apache-2.0

import Scenarios
import Testing
import TrialKit

/// The kernel's list of sockets, and how a body is cut.
struct SocketTableTests {
    private static let lines = [
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
        "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0",
        "   1: 0100007F:C001 0100007F:1F90 01 00000000:0001A000 00:00000000 00000000  1000        0 12 1 0 20 4 1 10 -1",
        "   2: 0100007F:1F90 0100007F:C001 01 00002710:00000000 01:00000014 00000000  1000        0 13 2 0 20 4 1 10 -1",
        "   3: 0100007F:C002 0100007F:1F90 01 00000000:00000007 00:00000000 00000000  1000        0 14 1 0 20 4 1 10 -1",
        "   4: 0100007F:1F90 0100007F:C002 01 00000005:00000000 00:00000000 00000000  1000        0 15 1 0 20 4 1 10 -1",
        "   5: 0100007F:C001 0100007F:0050 01 00000000:00000009 00:00000000 00000000  1000        0 16 1 0 20 4 1 10 -1",
    ]

    @Test func bytesInFlightBelongToTheProcessAloneAndCountOnceWhereASocketIsListedTwice() {
        let rows = Self.lines.compactMap(SocketTable.Row.init(parsing:))
        #expect(rows.count == 6)
        let table = SocketTable(rows + rows, ofServerAt: 8080)
        let underway = table.underway(to: [12, 16])
        #expect(underway?.unreadByteCount == 0x1A000 && underway?.unacknowledgedByteCount == 10_000)
        #expect(table.underway(to: [12, 14])?.unreadByteCount == 0x1A007)
        #expect(table.underway(to: [16]) == nil && table.underway(to: []) == nil)
    }

    @Test(arguments: [(1_048_576, 1, 131_073), (1_048_576, 1_000_000, 1_048_575), (1024, 1023, 1023), (2, 1, 1)])
    func theOriginNeverSendsTheLastByteOfWhatIsCut(size: Int, offset: Int, sent: Int) {
        #expect(ResumeCut(flowing: size, at: offset).sentByteCount == sent)
        #expect(ResumeCut(stalledAt: offset).sentByteCount == offset)
    }

    @Test func theLongestBodyIsThereInTime() throws {
        let size = 8 << 30
        let rate = try #require(ResumeCut(flowing: size, at: size / 10 * 9).bytesPerSecond)
        #expect(size / rate <= 8)
    }
}
