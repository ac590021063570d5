// SPDX-License-Identifier: Apache-2.0

import Foundation
package import MemProbe
import OperatingSystem
import Texts

/// A collection of the invalid fields of a document, each with its value and the valid values.
///
/// The text of a place is only made for a mistake, since a run may have ten thousand trials.
package struct FieldChecks {
    package struct Bound: ExpressibleByIntegerLiteral {
        package let value: Int
        package let name: String

        package init(_ value: Int, _ name: String = "") {
            (self.value, self.name) = (value, name)
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

    package var isFull: Bool { mistakes.count >= Self.most }

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
    ) { number(value?.rawValue, name, place, from: least, to: most) }

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

/// The reason why a document cannot be used: the field, its value, and the valid values.
package struct DocumentMistake: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of foreign text in messages.
    private static let longest = 60

    /// The path of the field: `phases[1].end_ns`; empty for the whole document.
    package var field: String
    /// The mistake: `is 5, expected at least start_ns (9)`.
    package var words: String

    package init(_ field: String, _ words: String) {
        (self.field, self.words) = (field, words)
    }

    package init(_ error: any Error) {
        switch error {
        case let error as FetchBenchError: self.init("", error.message)
        case let error as DecodingError: self.init(decoding: error)
        default: self.init("", Self.shown("\(error)"))
        }
    }

    private init(decoding error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(Self.field(of: context.codingPath + [key]), "is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let field = Self.field(of: context.codingPath)
            var reason = Self.shown(context.debugDescription)
            while reason.last == "." { reason.removeLast() }
            self.init(field, (field.isEmpty ? "" : "is invalid: ") + reason)
        @unknown default:
            self.init("", Self.shown("\(error)"))
        }
    }

    package var description: String { field.isEmpty ? words : "\(field) \(words)" }

    package func inside(_ place: String) -> DocumentMistake {
        guard !place.isEmpty else { return self }
        let separator = field.isEmpty || field.hasPrefix("[") ? "" : "."
        return DocumentMistake(place + separator + field, words)
    }

    /// Returns the text of a coding path: `phases[1].end_ns`.
    static func field(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + shown(key.stringValue)
            }
        }
    }

    package static func shown(_ text: String) -> String {
        // Cut by bytes, since a character may have any number of them.
        let bytes = text.utf8
        guard bytes.count > longest * 4 else { return SafeText.forTerminal(text) }
        return SafeText.forTerminal(String(decoding: bytes.prefix(longest * 4), as: UTF8.self)) + "…"
    }

    /// Returns the beginning of an invalid document, as the end of a sentence.
    static func excerpt(of output: [UInt8]) -> String {
        guard !output.isEmpty else { return ": it wrote nothing" }
        let text = SafeText.forTerminal(String(decoding: output.prefix(longest), as: UTF8.self))
        return ": it wrote '\(text)\(output.count > longest ? "…" : "")'"
    }
}

package enum ForeignDocument {
    /// Decodes one JSON document in UTF-8, without `null` and duplicate keys.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws -> Value {
        do {
            return try JSONDecoder().value(type, in: Data(bytes), strictly: true)
        } catch {
            let mistake = DocumentMistake(error)
            // The beginning of the text explains best why it is not JSON.
            throw FetchBenchError(
                mistake.description + (mistake.field.isEmpty ? DocumentMistake.excerpt(of: bytes) : ""))
        }
    }
}

package struct MachineLimits: Hashable, Sendable {
    /// The difference of two readings of the same memory due to activity in between, besides the kernel's own batching.
    static let slack = ByteCount.mebibytes(1)

    /// The memory including swap space.
    package var memory: ByteCount
    /// The number of processors that a process can use at once.
    package var processors: Int
    /// The maximum error of the kernel's counters: ``PeakErrorBound``.
    package var errorBound: ByteCount

    package init(memory: ByteCount, processors: Int, errorBound: ByteCount) {
        (self.memory, self.processors, self.errorBound) = (memory, processors, errorBound)
    }

    /// The limits of an unknown machine, which no machine exceeds.
    package static let any = MachineLimits(memory: Limits.memory, processors: 1 << 16, errorBound: Limits.memory)

    var memoryBound: FieldChecks.Bound {
        memory == Limits.memory
            ? FieldChecks.Bound(memory, "more than any machine has") : FieldChecks.Bound(memory, "the machine's memory")
    }

    /// The maximum difference of two readings of the same memory at almost the same instant.
    package var tolerance: ByteCount { errorBound + Self.slack }

    /// The bytes that can be touched or released per nanosecond: clearing pages allows about 16 GiB per second.
    private static let bytesEachNanosecond = 17

    package static func mostChange(in nanoseconds: Int) -> ByteCount {
        ByteCount(min(max(0, nanoseconds), 1 << 32) * bytesEachNanosecond)
    }
}
