// SPDX-License-Identifier: Apache-2.0

/// A cache of images in memory, in files, or in both.
///
/// None of it throws: without a cached image, an application still shows the picture. Storing reports failures as
/// ``StoreOutcome``.
package protocol ImageCache: Sendable {
    /// Returns the image of a key, or `nil`, and marks it as used.
    func image(for key: ImageKey) async -> CachedImage?

    /// Stores an image, replacing an older one, and evicts the least recently used if a limit requires it.
    @discardableResult
    func store(_ image: CachedImage, for key: ImageKey) async -> StoreOutcome

    func remove(_ key: ImageKey) async

    func removeAll() async

    var account: CacheAccount { get async }
}

package enum StoreOutcome: Hashable, Sendable {
    case kept
    /// The image alone exceeds the limit; an older one under its key is removed because it is outdated.
    case tooLarge
    /// The device is full even after evicting everything else.
    case noSpace
    case nothingToKeep
    case failed(String)
}

package struct CacheAccount: Hashable, Sendable {
    package var entryCount = 0
    /// The bytes really held, whatever the limit counts.
    package var byteCount = 0
    package var cost = 0
    package var limit: Int?
    /// The maximum of bytes really held.
    package var highestByteCount = 0

    /// The maximum excess over the limit in bytes, or 0 without a limit.
    package var overshoot: Int {
        limit.map { max(0, highestByteCount - $0) } ?? 0
    }

    package init() {}
}
