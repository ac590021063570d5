// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing
import TrialKit

@Suite(.timeLimit(.minutes(5)))
struct ConsumerDelayTests {
    private static func time(of nanoseconds: Int) -> Duration {
        let delay = ConsumerDelay(.test { $0.consumerDelayNanoseconds = nanoseconds })
        return ContinuousClock().measure { delay.wait() }
    }

    @Test(arguments: [1_000_000, 50_000_000, 1_000_000_001])
    func aDelayLastsAsLongAsItSays(nanoseconds: Int) {
        #expect(Self.time(of: nanoseconds) >= .nanoseconds(nanoseconds))
    }

    /// The sampler's clock interrupts whatever thread it finds.
    @Test func aSignalDoesNotCutADelayShort() async {
        let interrupted = Mutex<Duration?>(nil)
        // A handler that does nothing is enough for a sleep to be interrupted; without it the signal is ignored.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        var previous = sigaction()
        sigaction(SIGURG, &action, &previous)
        defer { sigaction(SIGURG, &previous, nil) }
        await withCheckedContinuation { continuation in
            let sleeper = Mutex<pthread_t?>(nil)
            Thread.detachNewThread {
                sleeper.withLock { $0 = pthread_self() }
                let time = Self.time(of: 400_000_000)
                // Not after this thread has ended: its number would be another's.
                sleeper.withLock { $0 = nil }
                interrupted.withLock { $0 = time }
                continuation.resume()
            }
            Thread.detachNewThread {
                for _ in 0..<20 {
                    Thread.sleep(forTimeInterval: 0.01)
                    sleeper.withLock { thread in
                        if let thread { pthread_kill(thread, SIGURG) }
                    }
                }
            }
        }
        #expect(interrupted.withLock { $0 ?? .zero } >= .milliseconds(400))
    }
}
