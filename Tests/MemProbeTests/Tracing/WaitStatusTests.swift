// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Testing

struct WaitStatusTests {
    private static let ends: [(status: Int32, expected: WaitStatus)] = [
        (0, .exited(status: 0)), (7 << 8, .exited(status: 7)), (255 << 8, .exited(status: 255)),
        (9, .killed(signal: 9)), (11 | 0x80, .killed(signal: 11)),
    ]

    private static let events: [(event: Int32, expected: WaitStatus)] = [
        (1, .child(.fork)), (2, .child(.vfork)), (3, .child(.clone)), (4, .exec), (6, .exit), (128, .pause),
        (99, .pause),
    ]

    @Test(arguments: ends)
    func endsAreToldFromStops(status: Int32, expected: WaitStatus) {
        #expect(WaitStatus(status) == expected)
    }

    @Test(arguments: events)
    func eventsComeWithATrap(event: Int32, expected: WaitStatus) {
        #expect(WaitStatus(event << 16 | SIGTRAP << 8 | 0x7f) == expected)
    }

    @Test(arguments: [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU])
    func aGroupStopIsNotADelivery(signal: Int32) {
        #expect(WaitStatus(128 << 16 | signal << 8 | 0x7f) == .groupStop)
        #expect(WaitStatus(signal << 8 | 0x7f) == .delivery(signal: signal))
    }

    @Test(arguments: [SIGUSR1, SIGTRAP, SIGTERM, 34])
    func everySignalIsDelivered(signal: Int32) {
        #expect(WaitStatus(signal << 8 | 0x7f) == .delivery(signal: signal))
    }
}
