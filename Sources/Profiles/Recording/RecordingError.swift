// SPDX-License-Identifier: Apache-2.0

/// A reason why a recording cannot be used.
package enum RecordingError: Error, Hashable, Sendable {
    /// The end is missing: the process was killed while writing, or the disk is full.
    case truncated
    /// The content is not in the recorder's format.
    case malformed(String)
    case unknownVersion(Int)
    /// Nothing was written: the recorder was not loaded into the process.
    case missing
    /// The file of this name cannot be read.
    case unreadable(String)
}
