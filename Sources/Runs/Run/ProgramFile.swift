// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Texts

/// The identity of a trial program: enough to detect a replacement without reading tens of megabytes.
package struct ProgramFile: Codable, Hashable, Sendable {
    /// The name without the folder.
    package var name: String
    package var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modifiedNanoseconds: Int

    private enum CodingKeys: String, CodingKey {
        case name
        case byteCount = "bytes"
        case modifiedNanoseconds = "modified_ns"
    }

    /// Reads the properties of a file; a missing one has size 0.
    package init(at path: String) {
        name = PathText.name(of: path)
        var information = stat()
        let isThere = stat(path, &information) == 0
        byteCount = isThere ? Int(information.st_size) : 0
        modifiedNanoseconds =
            isThere ? information.st_mtim.tv_sec * 1_000_000_000 + information.st_mtim.tv_nsec : 0
    }

    /// The size, or `nil` if the file was missing: no program is empty.
    package var size: ByteCount? { byteCount > 0 ? ByteCount(byteCount) : nil }
}
