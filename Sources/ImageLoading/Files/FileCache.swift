// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import TrialKit

/// A cache of encoded images in files of a folder that evicts the least recently used.
///
/// Eviction precedes insertion, so the entries never exceed the limit. The folder may exceed it by unfinished
/// downloads, and by an old version until the new one replaces it. The account's maximum includes both, so its
/// overshoot is their excess.
package final class FileCache: ImageCache {
    private let store: FileStore
    private let reading: FileReading
    /// One thread, like the single file queue of the libraries.
    private let queue = WorkerPool(most: 1)

    /// Opens a folder, creating it if necessary, and removes unfinished files.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - limit: The maximum of bytes of all files, or `nil` for no limit.
    ///   - reading: The form in which images are returned.
    ///   - calls: The system calls, which tests replace.
    package init(
        folder: String, limit: Int?, reading: FileReading, calls: FileCalls = .system
    ) throws(FileCacheError) {
        store = try FileStore(folder: folder, limit: limit, calls: calls)
        self.reading = reading
    }

    package var account: CacheAccount { store.account }

    package var damagedCount: Int { store.damagedCount }

    /// Returns an unused path, whose file can be stored without a copy and is otherwise removed at the next start.
    package func partialPath() -> String { store.partialPath() }

    /// Removes the file at a partial path, if any, because it will not be stored.
    package func discard(_ path: String) { store.discard(path) }

    package func image(for key: ImageKey) async -> CachedImage? {
        await queue.run { [store, reading] in
            store.image(of: key.url, by: reading).map { CachedImage(encoded: $0) }
        }
    }

    /// Returns an image that was just stored, without checking its body again.
    package func fresh(_ key: ImageKey) async -> EncodedImage? {
        await queue.run { [store, reading] in store.fresh(key.url, by: reading) }
    }

    @discardableResult
    package func store(_ image: CachedImage, for key: ImageKey) async -> StoreOutcome {
        guard let encoded = image.encoded else { return .nothingToKeep }
        return await queue.run { [store] in store.store(encoded, of: key.url) }
    }

    package func remove(_ key: ImageKey) async {
        await queue.run { [store] in store.remove(url: key.url) }
    }

    package func removeAll() async { await queue.run { [store] in store.removeAll() } }

    /// Evicts at least so many bytes, least recently used first, on a full device; returns true if there were any.
    package func evict(atLeast byteCount: Int) async -> Bool {
        await queue.run { [store] in store.evict(atLeast: byteCount) }
    }
}

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
        (self.path, self.calls) = (path, calls)
        lock = descriptor
    }

    deinit { calls.close(lock) }

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
        case folder
        /// The folder is locked by another cache.
        case inUse
    }

    package var code: Code
    package var detail: String

    package var description: String { "the folder of the file cache \(detail)" }
}
