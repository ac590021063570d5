// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// How long a consumer takes for each piece of a body, beside what it does with it.
public struct ConsumerDelay: Sendable {
    private let nanoseconds: Int

    /// The delay that a trial asks for.
    public init(_ settings: FetchSettings) {
        nanoseconds = max(0, settings.consumerDelayNanoseconds)
    }

    /// Sleeps on this thread; not at all where no delay was asked for.
    public func wait() {
        if nanoseconds > 0 { MonotonicClock.sleep(nanoseconds: nanoseconds) }
    }

    /// Sleeps without a thread, for consumers that are tasks.
    public func pause() async throws {
        if nanoseconds > 0 { try await Task.sleep(for: .nanoseconds(nanoseconds)) }
    }
}
