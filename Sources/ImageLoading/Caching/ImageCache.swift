// SPDX-License-Identifier: Apache-2.0

package import Rendering
import Synchronization

/// A cache of images in memory, in files, or in both.
///
/// None of it throws: without a cached image, an application still shows the picture. Storing reports failures as
/// ``StoreOutcome``.
package protocol ImageCache: Sendable {
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
    package var highestByteCount = 0

    /// The maximum excess over the limit in bytes, or 0 without a limit.
    package var overshoot: Int { limit.map { max(0, highestByteCount - $0) } ?? 0 }

    package init() {}
}

/// The key of a picture: its URL, and the view it was decoded for.
package struct ImageKey: Hashable, Sendable {
    package var url: String
    package var view: PixelSize?

    package init(url: String, view: PixelSize? = nil) {
        (self.url, self.view) = (url, view)
    }

    package var ofOriginal: ImageKey { ImageKey(url: url) }
}

package struct EncodedImage: Sendable {
    package var bytes: EncodedBytes
    package var byteCount: Int
    /// The origin's validator for this version, or `nil` if it sent none.
    package var entityTag: String?
    /// The path of the file with the bytes if it is not shared, so that a file cache may move it.
    package var ownFile: String?
    /// True if the origin has just confirmed this version.
    package var isUnchanged = false

    package init(_ bytes: EncodedBytes, byteCount: Int, entityTag: String? = nil, ownFile: String? = nil) {
        (self.bytes, self.byteCount, self.entityTag) = (bytes, byteCount, entityTag)
        self.ownFile = ownFile
    }
}

/// A decoded image with its origin, so that a gallery cell can tell whether it is the right one.
package final class LoadedPicture: Sendable {
    package let url: String
    package let bitmap: Bitmap
    package let encodedByteCount: Int
    /// The SHA-256 of the encoded bytes in hexadecimal, if the loader's context requires it.
    package let sha256: String?
    package let entityTag: String?

    private let wasShown = Atomic(false)

    package init(
        url: String, bitmap: Bitmap, encodedByteCount: Int, sha256: String? = nil, entityTag: String? = nil
    ) {
        (self.url, self.bitmap, self.encodedByteCount) = (url, bitmap, encodedByteCount)
        (self.sha256, self.entityTag) = (sha256, entityTag)
    }

    package func markShown() -> Bool { !wasShown.exchange(true, ordering: .relaxed) }
}

/// An image as passed to caches, of which each tier keeps its part.
package struct CachedImage: Sendable {
    package var encoded: EncodedImage?
    package var picture: LoadedPicture?

    package init(encoded: EncodedImage? = nil, picture: LoadedPicture? = nil) {
        (self.encoded, self.picture) = (encoded, picture)
    }
}

package struct NoCache: ImageCache {
    package init() {}

    package func image(for key: ImageKey) -> CachedImage? { nil }

    package func store(_ image: CachedImage, for key: ImageKey) -> StoreOutcome { .nothingToKeep }

    package func remove(_ key: ImageKey) {}

    package func removeAll() {}

    package var account: CacheAccount { CacheAccount() }
}

/// Two cache tiers: a miss in the upper one is looked up in the lower one, and images are stored in both.
///
/// The upper tier returns decoded pictures. The lower one returns encoded bytes; whoever decodes them stores the
/// picture, which puts it in the upper tier.
package struct TieredCache: ImageCache {
    private let upper: any ImageCache
    private let lower: any ImageCache

    package init(_ upper: any ImageCache, above lower: any ImageCache) {
        (self.upper, self.lower) = (upper, lower)
    }

    package func image(for key: ImageKey) async -> CachedImage? {
        if let image = await upper.image(for: key) { return image }
        return await lower.image(for: key.ofOriginal)
    }

    @discardableResult
    package func store(_ image: CachedImage, for key: ImageKey) async -> StoreOutcome {
        let outcomes = (await upper.store(image, for: key), await lower.store(image, for: key.ofOriginal))
        // The image is kept if either tier keeps it; a tier for another kind of image does not count.
        if outcomes.0 == .kept || outcomes.1 == .kept { return .kept }
        return outcomes.0 == .nothingToKeep ? outcomes.1 : outcomes.0
    }

    package func remove(_ key: ImageKey) async {
        await upper.remove(key)
        await lower.remove(key.ofOriginal)
    }

    package func removeAll() async {
        await upper.removeAll()
        await lower.removeAll()
    }

    /// The sum of both tiers' accounts; the limit is their sum, or none if either has none.
    package var account: CacheAccount {
        get async {
            let (first, second) = (await upper.account, await lower.account)
            var sum = CacheAccount()
            sum.entryCount = first.entryCount + second.entryCount
            sum.byteCount = first.byteCount + second.byteCount
            sum.cost = first.cost + second.cost
            sum.highestByteCount = first.highestByteCount + second.highestByteCount
            if let upperLimit = first.limit, let lowerLimit = second.limit { sum.limit = upperLimit + lowerLimit }
            return sum
        }
    }
}
