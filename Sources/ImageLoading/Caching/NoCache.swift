// SPDX-License-Identifier: Apache-2.0

package struct NoCache: ImageCache {
    package init() {}

    package func image(for key: ImageKey) -> CachedImage? { nil }

    package func store(_ image: CachedImage, for key: ImageKey) -> StoreOutcome { .nothingToKeep }

    package func remove(_ key: ImageKey) {}

    package func removeAll() {}

    package var account: CacheAccount { CacheAccount() }
}
