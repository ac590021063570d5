// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How long a consumer takes for each piece of a body, beside what it does with it.
public struct ConsumerDelay: Sendable {
    private let duration: timespec

    /// The delay that a trial asks for.
    public init(_ settings: FetchSettings) {
        let nanoseconds = max(0, settings.consumerDelayNanoseconds)
        duration = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }

    /// Sleeps on this thread; not at all where no delay was asked for.
    public func wait() {
        guard duration.tv_sec > 0 || duration.tv_nsec > 0 else { return }
        var (wanted, remaining) = (duration, timespec())
        // A signal, as a sampler's clock sends them, cuts a sleep short.
        while nanosleep(&wanted, &remaining) != 0, errno == EINTR { wanted = remaining }
    }

    /// Sleeps without a thread, for consumers that are tasks.
    public func pause() async throws {
        guard duration.tv_sec > 0 || duration.tv_nsec > 0 else { return }
        try await Task.sleep(for: .seconds(duration.tv_sec) + .nanoseconds(duration.tv_nsec))
    }
}
