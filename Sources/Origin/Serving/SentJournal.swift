// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Synchronization

/// The times and sizes of sent parts of bodies, in a file that the harness reads after each trial.
///
/// A line has the time on `CLOCK_MONOTONIC` in nanoseconds, a space and a number of bytes; over HTTP/2 a space and `2`
/// follow. Lines are buffered until an
/// answer has ended, so that nothing is written to a file while a client is measured, except for bodies of more than
/// about 20 GiB.
package final class SentJournal: Sendable {
    private let descriptor: CInt
    private let lines: Mutex<[UInt8]>
    /// The buffer size that triggers a flush, in bytes.
    private static let most = 1 << 21

    /// Opens a file; its reader may truncate it at any time.
    package init(path: String) throws(AssetError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw AssetError(.file, "the journal \(path) cannot be opened", errno: errno)
        }
        lines = Mutex([])
        lines.withLock { $0.reserveCapacity(1 << 16) }
    }

    deinit {
        close(descriptor)
    }

    func note(_ count: Int, at nanoseconds: Int, overHTTP2 isHTTP2: Bool = false) {
        let isFull = lines.withLock { lines in
            lines += "\(nanoseconds) \(count)\(isHTTP2 ? " 2" : "")\n".utf8
            return lines.count > Self.most
        }
        if isFull { flush() }
    }

    /// Writes the buffer; write errors are ignored, because a trial does not fail for lack of journal lines.
    func flush() {
        lines.withLock { lines in
            guard !lines.isEmpty else { return }
            _ = SystemCall.writeAll(lines, to: descriptor)
            lines.removeAll(keepingCapacity: true)
        }
    }
}
