// SPDX-License-Identifier: Apache-2.0

/// A failed system call on a file or folder.
package enum FileFailure: Error, Hashable, Sendable {
    case cannotWrite(name: String, errno: Int32)
    case cannotRead(name: String, errno: Int32)
}
