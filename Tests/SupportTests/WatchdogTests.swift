// SPDX-License-Identifier: Apache-2.0

import Support
import Synchronization
import Testing

struct WatchdogTests {
    /// Counts what a watchdog did.
    private final class Counter: Sendable {
        private let calls = Mutex(0)

        var count: Int { calls.withLock { $0 } }

        func call() { calls.withLock { $0 += 1 } }
    }

    /// Waits for a watchdog of its own: what was armed before with less time has had its turn by then.
    private func wait(_ time: Duration) async {
        let (stream, barks) = AsyncStream.makeStream(of: Void.self)
        let control = Watchdog()
        control.arm(after: time) { barks.yield() }
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        _ = control.disarm()
    }

    @Test(.timeLimit(.minutes(5)))
    func itActsOnceWhenItsTimeIsOver() async {
        let watchdog = Watchdog()
        let counter = Counter()
        watchdog.arm(after: .milliseconds(5)) { counter.call() }
        // However late a busy machine lets it act, it does so once.
        while counter.count == 0 { await wait(.milliseconds(5)) }
        await wait(.milliseconds(100))
        #expect(counter.count == 1)
        #expect(watchdog.disarm())
    }

    @Test(.timeLimit(.minutes(5)))
    func itDoesNothingOnceDisarmed() async {
        let watchdog = Watchdog()
        let counter = Counter()
        // Long enough for a busy machine to come to the next line, short enough to wait for.
        watchdog.arm(after: .milliseconds(750)) { counter.call() }
        #expect(!watchdog.disarm())
        await wait(.milliseconds(850))
        #expect(counter.count == 0)
        #expect(!watchdog.disarm())
    }

    @Test func oneThatWasNeverArmedDidNotAct() {
        #expect(!Watchdog().disarm())
    }
}
