// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Runs

/// The files of the cache folder, written atomically by one process at a time.
struct AssetFiles: Sendable {
    let directory: String

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func contents(_ name: String) throws -> [UInt8]? {
        guard let file = try FileBytes(path: path(name)) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: file.byteCount, alignment: 1)
        defer { buffer.deallocate() }
        try file.read(into: buffer, at: 0)
        return Array(buffer)
    }

    /// Replaces a file atomically, by writing a temporary one and renaming it.
    ///
    /// The caller holds the lock, so the temporary name can be constant: the remains of a killed process are
    /// overwritten.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        let partial = path(name) + ".partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FetchBenchError(kernel: "cannot make \(partial)", errno: errno) }
        let failure = SystemCall.writeAll(bytes, to: descriptor) ? 0 : errno
        close(descriptor)
        guard failure == 0, rename(partial, path(name)) == 0 else {
            let code = failure == 0 ? errno : failure
            unlink(partial)
            throw FetchBenchError(kernel: "cannot write \(path(name))", errno: code)
        }
    }

    /// Runs `body` with an exclusive lock on a name between processes and threads.
    ///
    /// It uses `flock(2)`: the kernel releases the lock when its holder dies.
    func locked<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        try makeDirectory()
        let file = path(name) + ".lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FetchBenchError(kernel: "cannot make \(file)", errno: errno) }
        defer { close(descriptor) }
        guard SystemCall.retried({ flock(descriptor, LOCK_EX) }) == 0 else {
            throw FetchBenchError(kernel: "cannot lock \(file)", errno: errno)
        }
        return try body()
    }

    /// Creates the folder and its parents.
    ///
    /// An existing parent may be read-only, so `EROFS` and `EACCES` are not failures yet.
    private func makeDirectory() throws {
        var partial = directory.hasPrefix("/") ? "" : "."
        for component in directory.split(separator: "/") {
            partial += "/\(component)"
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES else {
                throw FetchBenchError(kernel: "cannot make the folder \(partial)", errno: errno)
            }
        }
    }
}

/// The list of the gallery's pictures as JSON, for clients that are given one URL.
package struct GalleryManifest: Encodable, Sendable {
    package static let path = "/gallery/manifest.json"

    package static let mediaType = "application/json"

    struct Picture: Encodable, Sendable {
        var name: String
        var path: String
        var mediaType: String
        var bytes: Int
        var sha256: String
        var width: Int
        var height: Int
        var frame: ImageFrame

        private enum CodingKeys: String, CodingKey {
            case name, path, bytes, sha256, width, height, frame
            case mediaType = "media_type"
        }
    }

    let name = AssetName.gallery.text
    let bytes: Int
    let pictures: [Picture]

    package init(_ images: [StoredImage]) {
        pictures = images.map { image in
            Picture(
                name: image.image.name, path: image.image.path, mediaType: image.image.frame.mediaType,
                bytes: image.file.byteCount, sha256: image.sha256, width: image.image.width,
                height: image.image.height, frame: image.image.frame)
        }
        bytes = pictures.reduce(0) { $0 + $1.bytes }
    }

    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        } catch {
            throw FetchBenchError("cannot encode the gallery's manifest: \(error)")
        }
    }
}
