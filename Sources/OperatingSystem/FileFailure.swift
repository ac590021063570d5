// SPDX-License-Identifier: Apache-2.0

/// What the kernel says of a file that cannot be used.
package enum FileFailure: Error, Hashable, Sendable {
    /// A file or folder cannot be written.
    case cannotWrite(name: String, errno: Int32)
    /// A file or folder cannot be read.
    case cannotRead(name: String, errno: Int32)
}
