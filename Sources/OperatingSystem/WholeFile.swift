// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import MemProbe

/// Reads and writes whole files with the kernel's errors, which Foundation hides on this platform.
package enum WholeFile {
    /// Returns the bytes of a regular file.
    /// - Parameters:
    ///   - limit: The most bytes to hold, by default 256 MiB; a longer file throws `EFBIG`.
    ///   - allowsPipe: True if the file may be a pipe, which is read until its writers close it, or `/dev/null`.
    package static func data(
        at path: String, name: String, upTo limit: Int? = nil, allowsPipe: Bool = false
    ) throws(FileFailure) -> Data {
        try FileFailure.checkUTF8(ofPath: path, name: name)
        let descriptor = try StoredFile.open(path, name: name, allowing: allowsPipe ? [.pipe, .null] : [])
        defer { close(descriptor) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: descriptor) }
            guard count >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
            if count == 0 { break }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit ?? StoredFile.longest else {
                throw FileFailure.cannotRead(name: name, errno: EFBIG)
            }
        }
        return data
    }
}

extension WholeFile {
    /// Writes a file under a temporary name and renames it, so that no reader sees half of it.
    package static func write(_ text: String, to path: String, name: String) throws(FileFailure) {
        try write(Array(text.utf8), to: path, name: name)
    }

    package static func write(_ bytes: [UInt8], to path: String, name: String) throws(FileFailure) {
        let draft = try FileDraft(of: path, name: name)
        try draft.append(bytes)
        try draft.finish()
    }
}

package enum Folder {
    /// Creates a folder and its missing parents.
    package static func make(_ path: String) throws(FileFailure) {
        if let obstacle = FileFailure.obstacle(ofPath: path) {
            throw FileFailure.cannotWrite(name: path, errno: obstacle)
        }
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
            guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
            throw FileFailure.cannotWrite(name: path, errno: errno)
        }
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw FileFailure.cannotWrite(name: path, errno: ENOTDIR)
        }
    }
}
