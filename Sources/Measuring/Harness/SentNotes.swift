// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs
import Synchronization

/// The embedded origin's notes of what it sends, read as they grow.
///
/// Nothing is removed from the file: what the origin writes between a reading and a removal would be lost.
package final class SentNotes: Sendable {
    private static let pieceLength = 1 << 16

    private let descriptor: Int32
    private let offset = Mutex(off_t(0))

    /// Opens the file, `nil` if it is not there, and removes its name, as a trial could write to it.
    package init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// Returns the notes since the last call, in the order of time; a line that is not complete is left to the next.
    package func taken() -> [SentBytes] {
        offset.withLock { offset in
            var data = Data()
            var piece = [UInt8](repeating: 0, count: Self.pieceLength)
            while true {
                let count = pread(descriptor, &piece, piece.count, offset + off_t(data.count))
                guard count > 0 else { break }
                data.append(contentsOf: piece[..<count])
            }
            let whole = data.lastIndex(of: UInt8(ascii: "\n")).map { data[...$0] } ?? Data()
            offset += off_t(whole.count)
            return SentBytes.all(in: whole)
        }
    }
}
