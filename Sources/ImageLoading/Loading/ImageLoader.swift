// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Hashing
package import Rendering
import Synchronization
package import TrialKit

/// How true an image has to be that a cache has.
package enum Freshness: Hashable, Sendable {
    case cached
    /// Asked of the origin, by its entity tag where there is one.
    case revalidated
    /// Fetched anew.
    case reloaded
}

/// Loads pictures for views by a policy: memory cache, file cache, one fetch for all who ask, decode, and back into the
/// caches.
///
/// Who asks leaves by cancelling its task, whatever the policy; what becomes of the fetch is the policy's. A mode that
/// honours no cancellation runs to its end, and its bytes are counted as abandoned.
package final class ImageLoader: Sendable {
    package let policy: LoaderPolicy
    package let journal = LoaderJournal()
    /// The memory cache, where the policy has one.
    package let memory: MemoryCache?
    /// The file cache, where the policy has one.
    package let files: FileCache?

    /// What was decoded from which bytes, where the world wants content checked.
    package let fingerprints = FingerprintTable()

    private struct Flight: Hashable {
        var key: ImageKey
        /// Tells flights of one key apart where the policy does not share them.
        var number: Int
        var freshness: Freshness
    }

    private let world: LoaderWorld
    private let cache: any ImageCache
    private let source: OriginalSource
    private let downloads: SlotLimit
    private let decodes: SlotLimit
    /// What decodes hold, in bytes.
    private let decodeRoom: SlotLimit
    private let decoders: WorkerPool
    private let pictures: InFlightTable<Flight, Result<LoadedPicture, LoadFailure>>
    private let originals: InFlightTable<Flight, Result<EncodedImage, LoadFailure>>
    private let numbers = Atomic<Int>(0)

    /// Creates a loader.
    /// - Throws: ``FileCacheError`` where the policy has a file cache and its folder cannot be used.
    package init(_ policy: LoaderPolicy, fetcher: any Fetcher, in world: LoaderWorld) throws(FileCacheError) {
        self.policy = policy
        self.world = world
        memory = policy.memory.map { memory in
            MemoryCache(
                limit: memory.limit.byteCount(on: world.machine), counting: memory.cost,
                lifetime: memory.lifetimeSeconds.map { .seconds($0) }, now: world.now)
        }
        if let reading = policy.files {
            files = try FileCache(folder: world.folder + "/images", limit: world.fileLimit, reading: reading)
        } else {
            files = nil
        }
        cache = Self.cache(memory, files)
        source = OriginalSource(
            policy: policy, fetcher: fetcher, folder: world.folder, cache: cache, files: files, journal: journal)
        downloads = SlotLimit(policy.downloadsAtOnce)
        let decodesAtOnce: Int? = if case .atMost(let count) = policy.decodes { count } else { nil }
        decodes = SlotLimit(decodesAtOnce)
        decodeRoom = SlotLimit(policy.decodeMemory.byteCount(on: world.machine))
        decoders = WorkerPool(most: decodesAtOnce ?? .max)
        pictures = InFlightTable(cancelsAbandoned: policy.cancelling == .automatic)
        originals = InFlightTable(cancelsAbandoned: policy.cancelling == .automatic)
    }

    private static func cache(_ memory: MemoryCache?, _ files: FileCache?) -> any ImageCache {
        switch (memory, files) {
        case (let memory?, let files?): TieredCache(memory, above: files)
        case (let memory?, nil): memory
        case (nil, let files?): files
        case (nil, nil): NoCache()
        }
    }

    /// How many loads go on or wait for their turn now, without those that were cancelled.
    package var loadsUnderWay: Int { pictures.count }

    /// The picture at a URL for a view of some pixels.
    ///
    /// It is no larger than the view where the policy scales down, and otherwise as large as the original.
    package func picture(
        at url: URL, for view: PixelSize, _ freshness: Freshness = .cached
    ) async throws(LoadFailure) -> LoadedPicture {
        let key = ImageKey(url: url.absoluteString, view: policy.downsampling == .toView ? view : nil)
        if freshness == .cached, let picture = memory?.image(for: key)?.picture {
            journal.note { $0.memoryHits += 1 }
            return picture
        }
        let flight = self.flight(key, freshness)
        let result = await pictures.value(for: flight) { [self] in await load(url, flight, view) }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    private func flight(_ key: ImageKey, _ freshness: Freshness) -> Flight {
        let number = policy.coalesces ? 0 : numbers.add(1, ordering: .relaxed).newValue
        return Flight(key: key, number: number, freshness: freshness)
    }

    private func load(_ url: URL, _ flight: Flight, _ view: PixelSize) async -> Result<LoadedPicture, LoadFailure> {
        // Between asking the memory cache and taking off another flight may have landed.
        if flight.freshness == .cached, let picture = memory?.image(for: flight.key)?.picture {
            journal.note { $0.memoryHits += 1 }
            return .success(picture)
        }
        guard policy.decodes == .withDownload else { return await made(url, flight, view, inside: nil) }
        guard let slot = await downloads.slot() else { return .failure(.cancelled) }
        defer { withExtendedLifetime(slot) {} }
        return await made(url, flight, view, inside: slot)
    }

    /// - Parameter slot: That of a download which lasts until the picture is decoded; `nil` where one is to be waited for.
    private func made(
        _ url: URL, _ flight: Flight, _ view: PixelSize, inside slot: SlotLimit.Slot?
    ) async -> Result<LoadedPicture, LoadFailure> {
        var original = flight
        original.key = flight.key.ofOriginal
        let slots = slot == nil ? downloads : SlotLimit(nil)
        let found = await originals.value(for: original) { [source] in
            // Held until the fetch ends, also where who asked has left and its mode cannot be stopped.
            defer { withExtendedLifetime(slot) {} }
            return await source.image(at: url, flight.freshness, slots: slots)
        }
        switch found {
        case nil: return .failure(.cancelled)
        case .failure(let failure): return .failure(failure)
        case .success(let image):
            // What still holds was decoded before, unless what is in memory is of a version before it.
            if image.isUnchanged, let picture = memory?.image(for: flight.key)?.picture,
                picture.entityTag == image.entityTag
            {
                return .success(picture)
            }
            return await decoded(image, flight.key, view)
        }
    }

    private func decoded(
        _ image: EncodedImage, _ key: ImageKey, _ view: PixelSize
    ) async -> Result<LoadedPicture, LoadFailure> {
        let result = await decodes.withSlot {
            let held = await decoders.run { [self] in cost(of: image, key, view) }
            return await decodeRoom.withSlots(held) {
                journal.beganDecoding()
                defer { journal.note { $0.decoding -= 1 } }
                return await decoders.run { [self] in
                    Result { () throws(RenderFailure) in try decode(image, key, holding: held) }
                }
            }
        }
        switch result {
        case nil, .some(nil):
            return .failure(.cancelled)
        case .failure(let failure)??:
            journal.note { $0.undecodable += 1 }
            return .failure(.render(failure))
        case .success(let picture)??:
            journal.note { $0.decodes += 1 }
            memory?.store(CachedImage(picture: picture), for: key)
            return .success(picture)
        }
    }

    /// What decoding holds; notes what it has to.
    private func cost(of image: EncodedImage, _ key: ImageKey, _ view: PixelSize) -> Int {
        let scaled = DecodeCost.byteCount(image.bytes, fitting: view, limits: world.limits)
        journal.note { $0.mostForOnePicture = max($0.mostForOnePicture, scaled) }
        return key.view == view ? scaled : DecodeCost.byteCount(image.bytes, fitting: key.view, limits: world.limits)
    }

    /// Decodes, and notes what came of which bytes.
    private func decode(
        _ image: EncodedImage, _ key: ImageKey, holding held: Int
    ) throws(RenderFailure) -> LoadedPicture {
        journal.holdsWhileDecoding(held)
        defer { journal.note { $0.decodingBytes -= held } }
        let bitmap = try Picture.decode(
            image.bytes, fitting: key.view, limits: world.limits, ledger: world.ledger)
        var sha256: String?
        if world.checksContent {
            let digest = try image.bytes.withBytes { bytes throws(RenderFailure) in SHA256.hexadecimal(of: bytes) }
            fingerprints.note(bitmap, of: digest)
            sha256 = digest
        }
        return LoadedPicture(
            url: key.url, bitmap: bitmap, encodedByteCount: image.byteCount, sha256: sha256, entityTag: image.entityTag)
    }
}
