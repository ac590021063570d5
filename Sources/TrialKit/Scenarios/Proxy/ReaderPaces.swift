// SPDX-License-Identifier: Apache-2.0

/// The pauses of the readers, drawn from the seed and used by the requests in turn.
package struct ReaderPaces: Hashable {
    /// The time that the reader adds to a request.
    package let milliseconds: [Int]

    package static let count = 256
    package static let range = 100...200

    package init(seed: UInt64) {
        var generator = TraceGenerator(seed: seed)
        milliseconds = (0..<Self.count).map { _ in Int.random(in: Self.range, using: &generator) }
    }

    package var trace: [String] {
        stride(from: 0, to: Self.count, by: 16).map { start in
            let words = milliseconds[start..<start + 16].map(String.init).joined(separator: " ")
            return "requests \(start + 1) to \(start + 16) of every \(Self.count) pause for \(words) ms"
        }
    }
}
