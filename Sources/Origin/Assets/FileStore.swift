// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// The files of the cache folder: made whole or not at all, by one process at a time.
struct FileStore: Sendable {
    /// The folder, made when the first file is.
    let directory: String

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        "\(directory)/\(name)"
    }

    /// The whole content of a small file, or `nil` where there is none.
    func contents(_ name: String) throws(AssetError) -> [UInt8]? {
        guard let file = try FileBytes(path: path(name)) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: file.byteCount, alignment: 1)
        defer { buffer.deallocate() }
        try file.read(into: buffer, at: 0)
        return Array(buffer)
    }

    /// Writes a file under a temporary name and renames it, so that nobody ever reads a part of it.
    ///
    /// The temporary name is always the same, because the caller holds the lock: what a killed process left
    /// behind is overwritten and not collected.
    func replace(_ name: String, with bytes: [UInt8]) throws(AssetError) {
        let partial = path(name) + ".partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw AssetError(.file, "cannot make \(partial)", errno: errno) }
        let failure = SystemCall.writeAll(bytes, to: descriptor) ? 0 : errno
        close(descriptor)
        guard failure == 0, rename(partial, path(name)) == 0 else {
            let code = failure == 0 ? errno : failure
            unlink(partial)
            throw AssetError(.file, "cannot write \(path(name))", errno: code)
        }
    }

    /// Does something while no other process and no other thread does anything with the same name.
    ///
    /// The kernel gives the lock back when its holder dies. The corresponding call is `flock(2)`.
    func locked<Value>(_ name: String, _ body: () throws(AssetError) -> Value) throws(AssetError) -> Value {
        try makeDirectory()
        let file = path(name) + ".lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw AssetError(.file, "cannot make \(file)", errno: errno) }
        defer { close(descriptor) }
        guard SystemCall.retried({ flock(descriptor, LOCK_EX) }) == 0 else {
            throw AssetError(.file, "cannot lock \(file)", errno: errno)
        }
        return try body()
    }

    /// Makes the folder and those above it.
    ///
    /// A folder that is there may be one in which nothing may be made: that is no failure yet.
    private func makeDirectory() throws(AssetError) {
        var partial = directory.hasPrefix("/") ? "" : "."
        for component in directory.split(separator: "/") {
            partial += "/\(component)"
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES else {
                throw AssetError(.file, "cannot make the folder \(partial)", errno: errno)
            }
        }
    }
}
