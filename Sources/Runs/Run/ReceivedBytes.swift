// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The bytes of a trial's fetch that the origin had sent at an instant.
struct ReceivedBytes {
    private let sent: [SentBytes]
    private var next = 0
    private var total = 0
    /// The total of the fetch.
    let whole: Int

    /// Counts from the start of the fetch; returns `nil` if the origin sent nothing, as for a foreign URL.
    init?(of trial: Trial, sent: [SentBytes]) {
        guard let start = trial.reading(of: .fetch)?.startNanoseconds else { return nil }
        self.sent = sent.filter { $0.time >= start }
        whole = self.sent.reduce(0) { $0 + $1.count }
        guard whole > 0 else { return nil }
    }

    /// Returns the count at an instant, which must not be earlier than that of the previous call.
    mutating func count(at nanoseconds: Int) -> Int {
        while next < sent.count, sent[next].time <= nanoseconds {
            total += sent[next].count
            next += 1
        }
        return total
    }
}
