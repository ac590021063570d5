// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The common reading of several bodies, which have to be the same.
package struct AgreedBody: Sendable {
    package private(set) var reading: BodyReading?

    package init() {}

    /// Adds the reading of another body; ignores `nil`.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if it differs from the first: one of the two is wrong.
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
    /// Returns the common reading of several bodies; `nil` for none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if two of them differ.
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
    /// The failure of two different bodies of one asset, each with its description.
    package static func unlike(_ one: String, _ other: String) -> FetchFailure {
        FetchFailure(.wrongBody, "the asset was fetched as two bodies: \(one) and \(other)")
    }

    package static func words(byteCount: Int, sha256: String?) -> String {
        "\(byteCount) bytes" + (sha256.map { " with SHA-256 \($0.prefix(16))…" } ?? "")
    }
}
