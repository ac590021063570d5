// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// How a child process ended.
package enum Ending: Codable, Hashable, Sendable {
    /// It left by itself, with this status.
    case exited(Int)
    /// A signal ended it that the harness did not send.
    case signalled(Int)
    /// It was still there when its time was over, and was killed.
    case killedAtLimit
    /// It held so much memory, more than it may, and was killed.
    case killedOverMemory(ByteCount)
    /// It wrote more than so many bytes, and was ended.
    case wroteTooMuch(limit: Int)
    /// It never began; the text says why.
    case notStarted(String)
}
