// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// A collection of the invalid fields of a document, each with its value and the valid values.
///
/// The text of a place is only made for a mistake, since a run may have ten thousand trials.
package struct FieldChecks {
    /// A bound of a field's value, with the name of the field that sets it.
    package struct Bound: ExpressibleByIntegerLiteral {
        package let value: Int
        package let name: String

        package init(_ value: Int, _ name: String = "") {
            self.value = value
            self.name = name
        }

        package init(_ size: ByteCount, _ name: String = "") { self.init(size.rawValue, name) }
        package init(integerLiteral value: Int) { self.init(value) }

        fileprivate var words: String { name.isEmpty ? "\(value)" : "\(name) (\(value))" }
    }

    /// The path of the enclosing object; empty for the document itself.
    package typealias Place = () -> String

    /// The maximum number of collected mistakes: a document may have millions.
    private static let most = 20

    package private(set) var mistakes: [DocumentMistake] = []

    package init() {}

    /// True if no more mistakes are collected.
    package var isFull: Bool { mistakes.count >= Self.most }

    /// Adds a mistake.
    package mutating func add(_ name: String, _ words: @autoclosure () -> String, in place: Place = { "" }) {
        guard !isFull else { return }
        mistakes.append(DocumentMistake(name, words()).inside(place()))
    }

    /// Requires a number within bounds; a missing one is valid.
    package mutating func number(
        _ value: Int?, _ name: String, _ place: Place = { "" }, from least: Bound = 0, to most: Bound
    ) {
        guard let value else { return }
        if value < least.value {
            add(name, "is \(value), expected at least \(least.words)", in: place)
        } else if value > most.value {
            add(name, "is \(value), expected at most \(most.words)", in: place)
        }
    }

    /// Requires a size within bounds; a missing one is valid.
    package mutating func size(
        _ value: ByteCount?, _ name: String, _ place: Place = { "" }, from least: Bound = 0, to most: Bound
    ) {
        number(value?.rawValue, name, place, from: least, to: most)
    }

    /// Requires a finite number within a range; a missing one is valid.
    package mutating func figure(
        _ value: Double?, _ name: String, _ place: Place = { "" },
        in range: ClosedRange<Double> = -Limits.largestFigure...Limits.largestFigure
    ) {
        guard let value, !range.contains(value) else { return }
        add(name, "is \(value), expected \(range.lowerBound) to \(range.upperBound)", in: place)
    }
}

/// The limits of all machines and trials, so that sums and products of figures stay within 64 bits.
package enum Limits {
    /// 64 TiB, more than any machine has.
    package static let memory = ByteCount(1 << 46)
    /// 1 PiB, more than any body has.
    package static let body = ByteCount(1 << 50)
    /// 128 TiB: allocators and bitmaps reserve address space.
    package static let addresses = ByteCount(1 << 47)
    /// 146 years on the monotonic clock, in nanoseconds.
    package static let time = 1 << 62
    /// 104 days in nanoseconds, longer than any trial.
    package static let duration = 1 << 53
    /// More page faults, bytes sent or events than a trial can have.
    package static let count = 1 << 53
    /// The kernel's maximum number of threads.
    package static let threads = 1 << 22
    /// More simultaneous fetches than can be requested.
    package static let fetches = 1_000_000
    /// The largest range of whole numbers that are exact in floating point.
    package static let largestFigure = 9_007_199_254_740_992.0
}
