// SPDX-License-Identifier: Apache-2.0

/// Why a recording cannot be used.
package enum RecordingError: Error, Hashable, Sendable {
    /// There is no end: the process was killed while it wrote, or the disk is full.
    case truncated
    /// Something is not what the recorder writes.
    case malformed(String)
    /// Another version of the recorder wrote it.
    case unknownVersion(Int)
    /// Nothing was written: the recorder was not loaded into the process.
    case missing
    /// A file cannot be read.
    case unreadable(String)
}
