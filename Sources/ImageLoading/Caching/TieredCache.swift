// SPDX-License-Identifier: Apache-2.0

/// Two cache tiers: a miss in the upper one is looked up in the lower one, and images are stored in both.
///
/// The upper tier returns decoded pictures. The lower one returns encoded bytes; whoever decodes them stores the
/// picture, which puts it in the upper tier.
package struct TieredCache: ImageCache {
    private let upper: any ImageCache
    private let lower: any ImageCache

    package init(_ upper: any ImageCache, above lower: any ImageCache) {
        self.upper = upper
        self.lower = lower
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
