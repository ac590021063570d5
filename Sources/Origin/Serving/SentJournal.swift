// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Synchronization

/// When the kernel took how many bytes of bodies, in a file that the harness reads after each trial.
///
/// A line is a time on `CLOCK_MONOTONIC` in nanoseconds, a space and a number of bytes. Lines wait in memory until an answer
/// has ended, so that nothing is written to a file while a client is measured; a body of more than 20 GiB apart.
package final class SentJournal: Sendable {
    private let descriptor: CInt
    private let lines: Mutex<[UInt8]>
    /// More than this does not wait, in bytes.
    private static let most = 1 << 21

    /// Opens a file, which whoever reads it may empty at any time.
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

    /// Notes that bytes were taken.
    func note(_ count: Int, at nanoseconds: Int) {
        let isFull = lines.withLock { lines in
            lines += "\(nanoseconds) \(count)\n".utf8
            return lines.count > Self.most
        }
        if isFull { flush() }
    }

    /// Writes what waits; what cannot be written is lost, since a picture without a line is no failed trial.
    func flush() {
        lines.withLock { lines in
            guard !lines.isEmpty else { return }
            _ = SystemCall.writeAll(lines, to: descriptor)
            lines.removeAll(keepingCapacity: true)
        }
    }
}
