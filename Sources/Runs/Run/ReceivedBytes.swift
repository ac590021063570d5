// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// What had been sent of a trial's fetch at any instant, as the origin counts it.
struct ReceivedBytes {
    private let sent: [SentBytes]
    private var next = 0
    private var total = 0
    /// All that was sent in the fetch.
    let whole: Int

    /// Counts from the beginning of the fetch; `nil` where the origin sent nothing in it, as of a foreign URL.
    init?(of trial: Trial, sent: [SentBytes]) {
        guard let start = trial.reading(of: .fetch)?.startNanoseconds else { return nil }
        self.sent = sent.filter { $0.time >= start }
        whole = self.sent.reduce(0) { $0 + $1.count }
        guard whole > 0 else { return nil }
    }

    /// The count at an instant, which is not before that of the last call.
    mutating func count(at nanoseconds: Int) -> Int {
        while next < sent.count, sent[next].time <= nanoseconds {
            total += sent[next].count
            next += 1
        }
        return total
    }
}
