// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// A failed system call on a file or folder.
package enum FileFailure: Error, Hashable, Sendable {
    case cannotWrite(name: String, errno: Int32)
    case cannotRead(name: String, errno: Int32)

    package var number: Int32 {
        switch self {
        case .cannotWrite(_, let number), .cannotRead(_, let number): number
        }
    }

    package var reason: String { Self.reason(number) }

    /// Returns the reason in words of an errno.
    package static func reason(_ number: Int32) -> String {
        switch number {
        case EILSEQ: "its path is not valid UTF-8, which only commands and their inputs may have"
        case ENXIO, ESPIPE: "it is not a regular file"
        case EBADMSG: "its gzip data is damaged or ends early"
        default: String(cString: strerror(number))
        }
    }

    /// The errno of a path that is not UTF-8: commands get such paths, and no file of this project's own has one.
    static func obstacle(ofPath path: String) -> Int32? { SystemText.isUTF8(path) ? nil : EILSEQ }

    /// - Throws: `EILSEQ` for a path that is not UTF-8.
    static func checkUTF8(ofPath path: String, name: String) throws(FileFailure) {
        if let obstacle = obstacle(ofPath: path) { throw cannotRead(name: name, errno: obstacle) }
    }
}
