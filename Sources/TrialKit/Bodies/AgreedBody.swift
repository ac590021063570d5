// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The reading of bodies that have to be the same: nobody chooses one of them where they are not.
package struct AgreedBody: Sendable {
    /// The reading of the first body, which all that came after it were like; `nil` before one came.
    package private(set) var reading: BodyReading?

    /// Creates the reading of no body.
    package init() {}

    /// Takes the reading of one more body; that of nothing is none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` where it is another body than the first: one of the two is wrong.
    package mutating func take(_ next: BodyReading?) throws(FetchFailure) {
        guard let next else { return }
        guard let reading else {
            reading = next
            return
        }
        guard reading.byteCount == next.byteCount, reading.sha256 == next.sha256 else {
            throw .unlike(reading.words, next.words)
        }
    }
}

extension BodyReading {
    /// The reading of bodies that have to be the same; `nil` of none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` as soon as two of them differ.
    package init?(joining readings: [BodyReading]) throws(FetchFailure) {
        var agreed = AgreedBody()
        for reading in readings { try agreed.take(reading) }
        guard let first = agreed.reading else { return nil }
        self = first
        verificationCPUNanoseconds = readings.reduce(0) { $0 + $1.verificationCPUNanoseconds }
        let cached = readings.compactMap(\.pageCache)
        pageCache = cached.isEmpty ? nil : cached.reduce(.zero, +)
    }

    fileprivate var words: String { FetchFailure.words(byteCount: byteCount.rawValue, sha256: sha256) }
}

extension FetchFailure {
    /// Two bodies of one asset that differ, each in words.
    package static func unlike(_ one: String, _ other: String) -> FetchFailure {
        FetchFailure(.wrongBody, "the asset was fetched as two bodies: \(one) and \(other)")
    }

    package static func words(byteCount: Int, sha256: String?) -> String {
        "\(byteCount) bytes" + (sha256.map { " with SHA-256 \($0.prefix(16))…" } ?? "")
    }
}
