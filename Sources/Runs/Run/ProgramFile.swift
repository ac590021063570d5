// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Texts

/// Which file a trial program was: enough to see that it was replaced, without reading tens of megabytes of it.
package struct ProgramFile: Codable, Hashable, Sendable {
    /// Its name, without a folder.
    package var name: String
    /// Its size in bytes.
    package var byteCount: Int
    /// When it was written last, in nanoseconds since 1970.
    package var modifiedNanoseconds: Int

    private enum CodingKeys: String, CodingKey {
        case name
        case byteCount = "bytes"
        case modifiedNanoseconds = "modified_ns"
    }

    /// Looks at a file; one that is not there has no size.
    package init(at path: String) {
        name = PathText.name(of: path)
        var information = stat()
        let isThere = stat(path, &information) == 0
        byteCount = isThere ? Int(information.st_size) : 0
        modifiedNanoseconds =
            isThere ? information.st_mtim.tv_sec * 1_000_000_000 + information.st_mtim.tv_nsec : 0
    }

    /// Its size, or `nil` where it was not there: no program is empty.
    package var size: ByteCount? { byteCount > 0 ? ByteCount(byteCount) : nil }
}
