// SPDX-License-Identifier: Apache-2.0

/// What keeps images: in memory, in files, or in both.
///
/// Nothing of it throws. A cache that cannot give an image has none, and one that cannot keep it says why: an
/// application shows the picture all the same.
package protocol ImageCache: Sendable {
    /// What is kept under a key, or `nil`; it counts as used by that.
    func image(for key: ImageKey) async -> CachedImage?

    /// Keeps an image, in the place of an older one, and lets go of those used longest ago where a limit wants it.
    @discardableResult
    func store(_ image: CachedImage, for key: ImageKey) async -> StoreOutcome

    /// Lets go of what is kept under a key.
    func remove(_ key: ImageKey) async

    /// Lets go of everything.
    func removeAll() async

    /// What is kept now.
    var account: CacheAccount { get async }
}

/// What became of an image that a cache was handed.
package enum StoreOutcome: Hashable, Sendable {
    case kept
    /// It alone is over the limit; an older one under its key is gone all the same, because it is no longer true.
    case tooLarge
    /// The device is full, even with everything else let go of.
    case noSpace
    case nothingToKeep
    /// The system refused, in its words.
    case failed(String)
}

package struct CacheAccount: Hashable, Sendable {
    package var entryCount = 0
    /// The bytes that they really take, whatever the limit counts.
    package var byteCount = 0
    package var cost = 0
    /// The limit, or `nil` for none.
    package var limit: Int?
    /// The most bytes that were really held at one time.
    package var highestByteCount = 0

    /// How many bytes more than the limit were held at the worst; 0 where there is no limit.
    package var overshoot: Int {
        limit.map { max(0, highestByteCount - $0) } ?? 0
    }

    package init() {}
}
