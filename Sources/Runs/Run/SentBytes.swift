// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc

/// Bytes of a body that the origin's kernel took at an instant.
package struct SentBytes: Hashable, Sendable {
    /// When, on the monotonic clock, in nanoseconds.
    package var time: Int
    /// How many.
    package var count: Int

    /// Creates one.
    package init(time: Int, count: Int) {
        self.time = time
        self.count = count
    }
}

extension SentBytes {
    /// No kernel takes more at once: a line with more is none of the origin's, and sums of them would overflow.
    private static let mostAtOnce = 1 << 40

    /// What the embedded origin has noted since the last call, which empties its file.
    ///
    /// Trials are done one at a time: what is in it is of the last one. A file that is not there has noted nothing.
    package static func taken(from path: String) -> [SentBytes] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        truncate(path, 0)
        return all(in: data)
    }

    /// The lines of a journal in the order of time; what is no such line is none.
    package static func all(in data: Data) -> [SentBytes] {
        data.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2, let time = Int(String(decoding: words[0], as: UTF8.self)),
                let count = Int(String(decoding: words[1], as: UTF8.self)), (0...Limits.time).contains(time),
                (0...mostAtOnce).contains(count)
            else { return nil }
            return SentBytes(time: time, count: count)
        }.sorted { $0.time < $1.time }
    }
}
