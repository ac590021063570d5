// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import TrialKit

/// The folder of a file cache, locked by one cache at a time.
///
/// Entries are named by the SHA-256 of their URL. Unfinished files have another ending; because of the lock, those that
/// a cache finds at its start have no writer any more.
final class CacheFolder: Sendable {
    static let entryEnding = ".image"
    static let partialEnding = ".partial"

    struct Entry {
        var name: String
        var byteCount: Int
        /// The time of its last use, in nanoseconds.
        var used: Int
    }

    let path: String
    private let lock: CInt
    private let calls: FileCalls

    /// Creates the folder if necessary, and locks it.
    init(_ path: String, calls: FileCalls) throws(FileCacheError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FileCacheError(code: .folder, detail: "cannot be made: \(String(cString: strerror(errno)))")
        }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FileCacheError(code: .folder, detail: "cannot be written to: \(String(cString: strerror(errno)))")
        }
        guard FileLock.take(descriptor) else {
            calls.close(descriptor)
            throw FileCacheError(
                code: .inUse, detail: "is in use by another cache; only one at a time can count its files")
        }
        // Last: if `init` throws with all properties assigned, `deinit` would close the descriptor again, which may be
        // another file's by then.
        self.path = path
        self.calls = calls
        lock = descriptor
    }

    deinit {
        calls.close(lock)
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    static func name(of url: String) -> String {
        SHA256.hexadecimal(of: Array(url.utf8)) + entryEnding
    }

    /// Removes unfinished files and returns the entries, least recently used first.
    func sweep() -> [Entry] {
        var entries: [Entry] = []
        for name in names() {
            if name.hasSuffix(Self.partialEnding) {
                unlink(path(of: name))
            } else if name.hasSuffix(Self.entryEnding), let entry = entry(name) {
                entries.append(entry)
            }
        }
        return entries.sorted { ($0.used, $0.name) < ($1.used, $1.name) }
    }

    private func entry(_ name: String) -> Entry? {
        let descriptor = open(path(of: name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return Entry(
            name: name, byteCount: Int(status.st_size),
            used: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
    }

    private func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let found = readdir(folder) {
            // In place: a record ends with its name, and a copy of the declared 256 bytes would read past it.
            guard let name = found.pointer(to: \.d_name) else { continue }
            names.append(String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)))
        }
        return names
    }
}

package struct FileCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The folder cannot be used.
        case folder
        /// The folder is locked by another cache.
        case inUse
    }

    package var code: Code
    package var detail: String

    package var description: String { "the folder of the file cache \(detail)" }
}
