// SPDX-License-Identifier: Apache-2.0

/// Encoded images in files of a folder, those used longest ago let go of first.
///
/// Room is made before an image becomes an entry, so that the entries are never above the limit. The folder can be, by what
/// is being written: as many partial files as downloads go on, and an old version until the new one takes its place. The
/// account's highest count has all of it, so that its overshoot is what that came to.
package final class FileCache: ImageCache {
    private let store: FileStore
    private let reading: FileReading
    /// One thread, as the libraries have one queue for their files.
    private let queue = WorkerPool(most: 1)

    /// Takes a folder, makes it unless it is there, removes what was never finished in it and finds the rest.
    /// - Parameters:
    ///   - limit: The most bytes of all files together, or `nil` for no limit.
    ///   - reading: How images are handed out.
    ///   - calls: The system's, but in a test.
    /// - Throws: ``FileCacheError`` where the folder cannot be used, or belongs to another cache.
    package init(
        folder: String, limit: Int?, reading: FileReading, calls: FileCalls = .system
    ) throws(FileCacheError) {
        store = try FileStore(folder: folder, limit: limit, calls: calls)
        self.reading = reading
    }

    package var account: CacheAccount { store.account }

    package var damagedCount: Int { store.damagedCount }

    /// A path in the folder that nothing is at: what is fetched to there can be stored without being copied, and is
    /// removed at the next start if it never is.
    package func partialPath() -> String { store.partialPath() }

    /// Removes what is at such a path, if anything is, because it will not be stored.
    package func discard(_ path: String) { store.discard(path) }

    package func image(for key: ImageKey) async -> CachedImage? {
        await queue.run { [store, reading] in
            store.image(of: key.url, by: reading).map { CachedImage(encoded: $0) }
        }
    }

    /// An image that was stored just now, as this cache hands it out, without checking its body once more.
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

    /// Lets go of the images used longest ago, of so many bytes or more, because the device is full.
    /// - Returns: Whether there was anything to let go of.
    package func evict(atLeast byteCount: Int) async -> Bool {
        await queue.run { [store] in store.evict(atLeast: byteCount) }
    }
}
