// SPDX-License-Identifier: Apache-2.0

/// The memory of all processes of a command over time, in a buffer of fixed size.
///
/// When it is full, the larger one of every two samples is kept, and from then on the largest of twice as many.
package struct TreeSeries: Sendable {
    private let capacity: Int
    private var width = 1
    private var taken = 0
    private var kept: [Sample] = []

    /// Creates an empty series of at most `capacity` samples.
    package init(capacity: Int = 1000) {
        precondition(capacity >= 2, "a series has a beginning and an end")
        self.capacity = capacity
        kept.reserveCapacity(capacity)
    }

    package var samples: [Sample] { kept }

    /// Adds a sample, which has to be later than the previous ones.
    package mutating func note(_ sample: Sample) {
        if taken % width != 0, let last = kept.last {
            if sample.resident > last.resident { kept[kept.count - 1] = sample }
        } else {
            if kept.count == capacity { halve() }
            kept.append(sample)
        }
        taken += 1
    }

    private mutating func halve() {
        let pairs = stride(from: 0, to: kept.count, by: 2).map { first in
            kept[first..<min(first + 2, kept.count)].reduce(kept[first]) { $1.resident > $0.resident ? $1 : $0 }
        }
        kept.replaceSubrange(kept.startIndex..., with: pairs)
        width *= 2
        taken = kept.count * width
    }
}
