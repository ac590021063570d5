// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// Collects the fields of a document that cannot be, each with what is there and what may be.
///
/// The place of a field is made into words only where something is wrong with it: a run may have ten thousand trials.
package struct FieldChecks {
    /// One end of what a field may be: a number, and the words for it where another field sets it.
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

    /// Where fields are; empty in the document itself.
    package typealias Place = () -> String

    /// More mistakes than these are not counted: a document may have millions.
    private static let most = 20

    /// What was found.
    package private(set) var mistakes: [DocumentMistake] = []

    /// Creates checks that have found nothing yet.
    package init() {}

    /// Whether more need be looked for.
    package var isFull: Bool { mistakes.count >= Self.most }

    /// Notes what is wrong with a field.
    package mutating func add(_ name: String, _ words: @autoclosure () -> String, in place: Place = { "" }) {
        guard !isFull else { return }
        mistakes.append(DocumentMistake(name, words()).inside(place()))
    }

    /// Expects a number between two others; one that is not there is none.
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

    /// Expects a size between two others.
    package mutating func size(
        _ value: ByteCount?, _ name: String, _ place: Place = { "" }, from least: Bound = 0, to most: Bound
    ) {
        number(value?.rawValue, name, place, from: least, to: most)
    }

    /// Expects a finite number of at most this magnitude.
    package mutating func figure(
        _ value: Double?, _ name: String, _ place: Place = { "" },
        in range: ClosedRange<Double> = -Limits.largestFigure...Limits.largestFigure
    ) {
        guard let value, !range.contains(value) else { return }
        add(name, "is \(value), expected \(range.lowerBound) to \(range.upperBound)", in: place)
    }
}

/// What no figure of any machine or trial exceeds, so that adding and multiplying them stays within 64 bits.
package enum Limits {
    /// 64 TiB, which no machine has.
    package static let memory = ByteCount(1 << 46)
    /// 1 PiB, which no body has.
    package static let body = ByteCount(1 << 50)
    /// 128 TiB: what allocators and bitmaps reserve is address space.
    package static let addresses = ByteCount(1 << 47)
    /// 146 years on the monotonic clock, in nanoseconds.
    package static let time = 1 << 62
    /// 104 days: no trial takes that long.
    package static let duration = 1 << 53
    /// More page faults, bytes sent or events than a trial can have.
    package static let count = 1 << 53
    /// As many threads as the kernel has numbers for.
    package static let threads = 1 << 22
    /// How many fetches at once can be asked for, and more.
    package static let fetches = 1_000_000
    /// Up to here a floating-point number holds every whole one.
    package static let largestFigure = 9_007_199_254_740_992.0
}
