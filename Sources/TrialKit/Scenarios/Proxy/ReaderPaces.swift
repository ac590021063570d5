// SPDX-License-Identifier: Apache-2.0

/// How slow the readers are: drawn once, and followed by the requests in turn.
package struct ReaderPaces: Hashable {
    /// How long a request takes because of its reader, in milliseconds.
    package let milliseconds: [Int]

    /// How many paces there are before they begin anew.
    package static let count = 256
    /// What they are drawn from, in milliseconds.
    package static let range = 100...200

    package init(seed: UInt64) {
        var generator = TraceGenerator(seed: seed)
        milliseconds = (0..<Self.count).map { _ in Int.random(in: Self.range, using: &generator) }
    }

    /// The paces, 16 a line.
    package var trace: [String] {
        stride(from: 0, to: Self.count, by: 16).map { start in
            let words = milliseconds[start..<start + 16].map(String.init).joined(separator: " ")
            return "requests \(start + 1) to \(start + 16) of every \(Self.count) pause for \(words) ms"
        }
    }
}
