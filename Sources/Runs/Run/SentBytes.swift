// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

/// The bytes of a body that the origin's kernel accepted at an instant.
package struct SentBytes: Hashable, Sendable {
    /// The instant on the monotonic clock, in nanoseconds.
    package var time: Int
    package var count: Int
    /// True if they were sent over HTTP/2.
    package var isHTTP2: Bool

    package init(time: Int, count: Int, isHTTP2: Bool = false) {
        self.time = time
        self.count = count
        self.isHTTP2 = isHTTP2
    }
}

extension SentBytes {
    /// The limit of a valid line, more than any kernel accepts at once, so that sums cannot overflow.
    private static let mostAtOnce = 1 << 40

    /// Parses the lines of a journal in the order of time; invalid lines are ignored.
    package static func all(in data: Data) -> [SentBytes] {
        data.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            let isHTTP2 = words.count == 3 && words[2].elementsEqual("2".utf8)
            guard words.count == 2 || isHTTP2, let time = Int(String(decoding: words[0], as: UTF8.self)),
                let count = Int(String(decoding: words[1], as: UTF8.self)), (0...Limits.time).contains(time),
                (0...mostAtOnce).contains(count)
            else { return nil }
            return SentBytes(time: time, count: count, isHTTP2: isHTTP2)
        }.sorted { $0.time < $1.time }
    }
}
