// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The samples of one trial, cut down to what a screen can show while they are read: of each slice of time the least and
/// the most.
package struct DecimatedSeries: Sendable {
    /// What the samples of one slice read.
    package struct Slice: Sendable {
        /// The time of its first sample, in nanoseconds.
        package var time: Int
        /// The resident size, in bytes.
        package var resident: ClosedRange<Int>
        /// What of it is anonymous, in bytes.
        package var anonymous: ClosedRange<Int>
        /// What had arrived by its last sample, in bytes; `nil` where nobody counted.
        package var received: Int?

        fileprivate mutating func add(_ later: Slice) {
            resident =
                Swift.min(
                    resident.lowerBound, later.resident.lowerBound)...Swift.max(
                    resident.upperBound, later.resident.upperBound)
            anonymous =
                Swift.min(
                    anonymous.lowerBound, later.anonymous.lowerBound)...Swift.max(
                    anonymous.upperBound, later.anonymous.upperBound)
            received = later.received ?? received
        }
    }

    /// When a phase was sampled first and last, in nanoseconds.
    package struct Span: Hashable, Sendable {
        /// The phase.
        package var phase: Phase
        /// From its first sample to its last.
        package var times: ClosedRange<Int>
    }

    /// The slices that have samples, in the order of time.
    package private(set) var slices: [Slice] = []
    /// The phases, in the order of time.
    package private(set) var spans: [Span] = []
    /// How long a slice is, in nanoseconds.
    private var width = 250_000
    private let most: Int

    /// Creates an empty series of so many slices at most.
    package init(slices most: Int) {
        precondition(most > 1, "a series of more than one slice")
        self.most = most
        slices.reserveCapacity(most + 1)
    }

    /// Adds a row that is not earlier than those before.
    package mutating func add(_ row: SampleRow) {
        note(row.phase, at: row.time)
        let slice = Slice(
            time: row.time, resident: row.resident...row.resident, anonymous: row.anonymous...row.anonymous,
            received: row.received)
        if let last = slices.last, last.time / width == row.time / width {
            slices[slices.count - 1].add(slice)
            return
        }
        slices.append(slice)
        while slices.count > most { widen() }
    }

    private mutating func note(_ phase: Phase?, at time: Int) {
        guard let phase else { return }
        if let last = spans.last, last.phase == phase {
            spans[spans.count - 1].times = last.times.lowerBound...max(time, last.times.upperBound)
        } else {
            spans.append(Span(phase: phase, times: time...time))
        }
    }

    /// Makes slices twice as long, and one of every two that fall together.
    private mutating func widen() {
        width *= 2
        var wider: [Slice] = []
        wider.reserveCapacity(most + 1)
        for slice in slices {
            if let last = wider.last, last.time / width == slice.time / width {
                wider[wider.count - 1].add(slice)
            } else {
                wider.append(slice)
            }
        }
        slices = wider
    }
}
