// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import OperatingSystem

/// The standard input of plain commands: a file that each run reads from its beginning.
///
/// `/dev/stdin` and `/dev/fd/N` mean another file in every process, so they are resolved in this one, once. A pipe can be
/// read only once, so what it gives is copied to a file.
package enum CommandInput {
    private static let name = "--input"

    /// Returns the path by which the process of a trial opens an input.
    ///
    /// Waits until the writers of a pipe close it, or the task is cancelled.
    /// - Parameter copy: The path of the copy, if one has to be made.
    /// - Throws: ``FileFailure`` as ``descriptor(of:)`` does; `CancellationError`.
    static func path(for path: String, copyingTo copy: String) throws -> String {
        let file = try descriptor(of: path)
        defer { close(file) }
        guard isOfOneProcess(path) else { return path }
        if let real = SystemText.target(ofLink: "/proc/self/fd/\(file)"), isSame(real, file) { return real }
        try write(file, to: copy)
        return copy
    }

    /// Returns the reason that a path cannot be an input; opens it and reads nothing.
    package static func obstacle(at path: String) -> String? {
        do throws(FileFailure) {
            close(try descriptor(of: path))
            return nil
        } catch {
            return words(for: error)
        }
    }

    private static func words(for failure: FileFailure) -> String {
        switch failure.number {
        case ESPIPE:
            "a named pipe can be read only once; use `--input /dev/stdin <pipe` to give its contents to every run"
        case ENXIO, EISDIR: "not a regular file; expected a file, /dev/stdin or /dev/null"
        default: String(cString: strerror(failure.number))
        }
    }

    /// Opens a regular file, a pipe without a name, or `/dev/null`.
    /// - Throws: ``FileFailure`` as ``StoredFile`` does, with `ESPIPE` for a named pipe.
    static func descriptor(of path: String) throws(FileFailure) -> Int32 {
        try StoredFile.open(path, name: name, allowing: isOfOneProcess(path) ? [.pipe, .null] : [.null])
    }

    /// True if a path means another file in another process.
    private static func isOfOneProcess(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        let isOwn = parts.contains("fd") || parts.contains("self") || parts.contains("thread-self")
        return parts.starts(with: ["dev", "fd"]) || parts == ["dev", "stdin"] || (parts.first == "proc" && isOwn)
    }

    private static func isSame(_ path: String, _ file: Int32) -> Bool {
        var (named, held) = (stat(), stat())
        return SystemText.withCString(path) { stat($0, &named) } == 0 && fstat(file, &held) == 0
            && named.st_dev == held.st_dev && named.st_ino == held.st_ino
    }

    private static func write(_ file: Int32, to copy: String) throws {
        let written = try AppendingFile(path: copy, name: "the copy of --input", isNew: true)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            var waited = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 100) != 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { SystemCall.readSome($0, from: file) }
            if count == 0 { return }
            guard count > 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
            try written.append(Array(buffer[..<count]))
        }
    }
}
