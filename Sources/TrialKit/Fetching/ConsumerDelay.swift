// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The additional time that a consumer takes for each piece of a body.
public struct ConsumerDelay: Sendable {
    private let nanoseconds: Int

    /// Reads the delay of a trial.
    public init(_ settings: FetchSettings) {
        nanoseconds = max(0, settings.consumerDelayNanoseconds)
    }

    /// Sleeps on this thread, if there is a delay.
    public func wait() {
        if nanoseconds > 0 { MonotonicClock.sleep(nanoseconds: nanoseconds) }
    }

    /// Sleeps without blocking a thread, for consumers that are tasks.
    public func pause() async throws {
        if nanoseconds > 0 { try await Task.sleep(for: .nanoseconds(nanoseconds)) }
    }
}
