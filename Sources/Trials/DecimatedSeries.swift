// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The samples of one trial, reduced while they are read to the minimum and maximum of each time slice.
package struct DecimatedSeries: Sendable {
    package struct Slice: Sendable {
        /// The time of its first sample, in nanoseconds.
        package var time: Int
        /// The resident size, in bytes.
        package var resident: ClosedRange<Int>
        package var anonymous: ClosedRange<Int>
        /// The bytes received by its last sample; `nil` without a count of the origin.
        package var received: Int?
        /// The highest charge, in bytes; `nil` if there was none.
        package var charged: Int?

        fileprivate mutating func add(_ later: Slice) {
            resident = DecimatedSeries.both(resident, later.resident)
            anonymous = DecimatedSeries.both(anonymous, later.anonymous)
            received = later.received ?? received
            charged = [charged, later.charged].compactMap(\.self).max()
        }
    }

    /// The first and last sample of a phase, in nanoseconds.
    package struct Span: Hashable, Sendable {
        package var phase: Phase
        package var times: ClosedRange<Int>
    }

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

    package mutating func add(_ row: SampleRow) {
        note(row.phase, at: row.time)
        add(
            Slice(
                time: row.time, resident: row.resident...row.resident, anonymous: row.anonymous...row.anonymous,
                received: row.received, charged: row.charged))
        while slices.count > most {
            // Slices of twice the length, each of which takes up one or two of the former.
            width *= 2
            let narrow = slices
            slices.removeAll(keepingCapacity: true)
            for slice in narrow { add(slice) }
        }
    }

    private mutating func add(_ slice: Slice) {
        if let last = slices.last, last.time / width == slice.time / width {
            slices[slices.count - 1].add(slice)
        } else {
            slices.append(slice)
        }
    }

    private mutating func note(_ phase: Phase?, at time: Int) {
        guard let phase else { return }
        if let last = spans.last, last.phase == phase {
            spans[spans.count - 1].times = Self.both(last.times, time...time)
        } else {
            spans.append(Span(phase: phase, times: time...time))
        }
    }

    private static func both(_ first: ClosedRange<Int>, _ second: ClosedRange<Int>) -> ClosedRange<Int> {
        min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
    }
}
