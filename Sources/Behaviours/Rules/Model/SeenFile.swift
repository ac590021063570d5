// SPDX-License-Identifier: Apache-2.0

/// A file in the folder of a child process.
package struct SeenFile: Codable, Hashable, Sendable {
    /// The path in that folder.
    package var name: String
    package var bytes: Int
    /// The SHA-256 of the content, or `nil` if it could not be read.
    package var sha256: String?

    package init(name: String, bytes: Int, sha256: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}
