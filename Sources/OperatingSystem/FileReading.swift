// SPDX-License-Identifier: Apache-2.0

import CZlib
package import Foundation
import Glibc
import MemProbe
import Texts

extension FetchBenchError {
    /// The errno of a path that is not UTF-8: commands get such paths, and no file of this project's own has one.
    static func obstacle(ofPath path: String) -> Int32? { SystemText.isUTF8(path) ? nil : EILSEQ }

    static func checkUTF8(ofPath path: String, name: String) throws {
        if let obstacle = obstacle(ofPath: path) { throw cannotRead(name: name, errno: obstacle) }
    }
}

/// Reads and writes whole files with the kernel's errors, which Foundation hides on this platform.
package enum WholeFile {
    /// Returns the bytes of a regular file.
    /// - Parameters:
    ///   - limit: The most bytes to hold, by default 256 MiB; a longer file throws `EFBIG`.
    ///   - allowsPipe: True if the file may be a pipe, which is read until its writers close it, or `/dev/null`.
    package static func data(
        at path: String, name: String, upTo limit: Int? = nil, allowsPipe: Bool = false
    ) throws -> Data {
        try FetchBenchError.checkUTF8(ofPath: path, name: name)
        let descriptor = try StoredFile.open(path, name: name, allowing: allowsPipe ? [.pipe, .null] : [])
        defer { close(descriptor) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: descriptor) }
            guard count >= 0 else { throw FetchBenchError.cannotRead(name: name, errno: errno) }
            if count == 0 { break }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit ?? StoredFile.longest else {
                throw FetchBenchError.cannotRead(name: name, errno: EFBIG)
            }
        }
        return data
    }
}

extension WholeFile {
    /// Writes a file under a temporary name and renames it, so that no reader sees half of it.
    package static func write(_ text: String, to path: String, name: String) throws {
        try write(Array(text.utf8), to: path, name: name)
    }

    package static func write(_ bytes: [UInt8], to path: String, name: String) throws {
        let draft = try FileDraft(of: path, name: name)
        try draft.append(bytes)
        try draft.finish()
    }
}

package func makeFolder(_ path: String) throws {
    if let obstacle = FetchBenchError.obstacle(ofPath: path) {
        throw FetchBenchError.cannotWrite(name: path, errno: obstacle)
    }
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
        made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
        guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
        throw FetchBenchError.cannotWrite(name: path, errno: errno)
    }
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
        throw FetchBenchError.cannotWrite(name: path, errno: ENOTDIR)
    }
}

/// The part of a file that is in memory while it is read in pieces; a file in the gzip format is decompressed.
package final class FileWindow {
    private let file: gzFile
    private let name: String
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var filled = 0
    private var done = 0
    package private(set) var isWhole = false

    /// Opens a regular file with a buffer of `capacity` bytes, which grows if a piece does not fit.
    package init(path: String, name: String, capacity: Int = 1 << 20) throws {
        try FetchBenchError.checkUTF8(ofPath: path, name: name)
        let descriptor = try StoredFile.open(path, name: name)
        guard let file = gzdopen(descriptor, "r") else {
            close(descriptor)
            throw FetchBenchError.cannotRead(name: name, errno: ENOMEM)
        }
        (self.file, self.name, self.capacity) = (file, name, capacity)
        memory = .allocate(capacity: capacity)
    }

    deinit {
        memory.deallocate()
        gzclose_r(file)
    }

    /// The bytes read and not yet consumed; valid until ``more()`` is called.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory + done, count: filled - done)
    }

    /// The length of the first line, without its end; `nil` if no line ends within ``bytes``.
    package var lineLength: Int? {
        let start = UnsafeRawPointer(memory + done)
        return memchr(start, 10, filled - done).map { start.distance(to: UnsafeRawPointer($0)) }
    }

    package func advance(by count: Int) { done += count }

    /// Reads on into a buffer that is at least half free, and returns false at the end of the file.
    /// - Throws: `EFBIG` for a piece of more than 256 MiB, `EBADMSG` for damaged gzip data.
    package func more() throws -> Bool {
        guard filled - done < StoredFile.longest else { throw FetchBenchError.cannotRead(name: name, errno: EFBIG) }
        makeRoom()
        let count = Int(gzread(file, memory + filled, UInt32(capacity - filled)))
        var status: Int32 = 0
        gzerror(file, &status)
        // Compressed data that ends early is reported beside its last bytes.
        guard count > 0 || [Z_OK, Z_STREAM_END].contains(status) else {
            throw FetchBenchError.cannotRead(name: name, errno: status == Z_ERRNO ? errno : EBADMSG)
        }
        filled += count
        isWhole = count == 0
        return count > 0
    }

    private func makeRoom() {
        let kept = filled - done
        if kept > capacity / 2 {
            capacity *= 2
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: memory + done, count: kept)
            memory.deallocate()
            memory = larger
        } else if kept > 0 {
            memmove(memory, memory + done, kept)
        }
        done = 0
        filled = kept
    }
}
