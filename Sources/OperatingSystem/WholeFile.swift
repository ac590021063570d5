// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import MemProbe

/// Reads files with the kernel's own word on what is wrong, which Foundation's errors hide on this platform.
package enum WholeFile {
    /// The bytes of a file.
    /// - Parameters:
    ///   - name: what to call the file in errors.
    ///   - limit: how many are wanted at most; of a longer file there are a few more, and not all.
    package static func data(at path: String, name: String, upTo limit: Int = .max) throws(FileFailure) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        defer { close(descriptor) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= limit {
            let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: descriptor) }
            guard count >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
            if count == 0 { break }
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }
}

extension WholeFile {
    /// Writes a file under a temporary name and renames it, so that nobody reads half of it.
    package static func write(_ text: String, to path: String, name: String) throws(FileFailure) {
        try write(Array(text.utf8), to: path, name: name)
    }

    /// The same of bytes.
    package static func write(_ bytes: [UInt8], to path: String, name: String) throws(FileFailure) {
        let draft = try FileDraft(of: path, name: name)
        try draft.append(bytes)
        try draft.finish()
    }
}

package enum Folder {
    /// Makes a folder and those above it, where they are missing.
    package static func make(_ path: String) throws(FileFailure) {
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
