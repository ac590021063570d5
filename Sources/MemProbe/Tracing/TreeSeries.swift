// SPDX-License-Identifier: Apache-2.0

/// What all processes of a command held together over time, in a buffer that never grows.
///
/// Where it is full, of every two samples the larger one stays, and from then on it takes the largest of twice as many.
package struct TreeSeries: Sendable {
    private let capacity: Int
    private var width = 1
    private var taken = 0
    private var kept: [Sample] = []

    /// Creates an empty series.
    /// - Parameter capacity: how many samples it keeps at most, at least 2.
    package init(capacity: Int = 1000) {
        precondition(capacity >= 2, "a series has a beginning and an end")
        self.capacity = capacity
        kept.reserveCapacity(capacity)
    }

    /// The samples, in the order of time.
    package var samples: [Sample] { kept }

    /// Takes a sample, which is later than those before.
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
