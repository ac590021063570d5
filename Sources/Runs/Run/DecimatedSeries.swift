// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The samples of one trial, reduced while they are read to the minimum and maximum of each time slice.
package struct DecimatedSeries: Sendable {
    /// The samples of one slice.
    package struct Slice: Sendable {
        /// The time of its first sample, in nanoseconds.
        package var time: Int
        /// The resident size, in bytes.
        package var resident: ClosedRange<Int>
        package var anonymous: ClosedRange<Int>
        /// The bytes received by its last sample; `nil` without a count of the origin.
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

    /// The first and last sample of a phase, in nanoseconds.
    package struct Span: Hashable, Sendable {
        package var phase: Phase
        package var times: ClosedRange<Int>
    }

    /// The slices that have samples, in the order of time.
    package private(set) var slices: [Slice] = []
    /// The phases, in the order of time.
    package private(set) var spans: [Span] = []
    /// The length of a slice, in nanoseconds.
    private var width = 250_000
    private let most: Int

    package init(slices most: Int) {
        precondition(most > 1, "a series of more than one slice")
        self.most = most
        slices.reserveCapacity(most + 1)
    }

    /// Adds a row; rows have to come in the order of time.
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

    /// Doubles the length of slices and merges them.
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
