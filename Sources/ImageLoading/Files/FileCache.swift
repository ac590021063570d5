// SPDX-License-Identifier: Apache-2.0

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

    package func removeAll() async {
        await queue.run { [store] in store.removeAll() }
    }

    /// Evicts at least so many bytes, least recently used first, on a full device; returns true if there were any.
    package func evict(atLeast byteCount: Int) async -> Bool {
        await queue.run { [store] in store.evict(atLeast: byteCount) }
    }
}
