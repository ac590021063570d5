// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Hashing
package import Rendering
import Synchronization
package import TrialKit

package enum Freshness: Hashable, Sendable {
    case cached
    /// Validated with the origin, by entity tag if there is one.
    case revalidated
    case reloaded
}

/// A loader of pictures for views by a policy: memory cache, file cache, shared fetch, decode, storing in caches.
///
/// A caller leaves by cancelling its task; the policy determines whether the fetch is cancelled. A mode that does not
/// support cancellation finishes, and is counted.
package final class ImageLoader: Sendable {
    package let policy: LoaderPolicy
    package let journal = LoaderJournal()
    package let memory: MemoryCache?
    package let files: FileCache?

    /// The fingerprints of decoded bytes, if the context requires content checks.
    package let fingerprints = PictureChecker.FingerprintTable()

    private struct Flight: Hashable {
        var key: ImageKey
        /// Distinguishes flights of one key if the policy does not share them.
        var number: Int
        var freshness: Freshness
    }

    private let world: LoaderWorld
    private let cache: any ImageCache
    private let source: OriginalSource
    private let downloads: SlotLimit
    private let decodes: SlotLimit
    private let decodeRoom: SlotLimit
    private let decoders: WorkerPool
    private let pictures: InFlightTable<Flight, Result<LoadedPicture, LoadFailure>>
    private let originals: InFlightTable<Flight, Result<EncodedImage, LoadFailure>>
    private let numbers = Atomic<Int>(0)

    package init(_ policy: LoaderPolicy, fetcher: any Fetcher, in world: LoaderWorld) throws(FileCacheError) {
        (self.policy, self.world) = (policy, world)
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

    /// The number of loads that are running or waiting, without those that were cancelled.
    package var loadsUnderWay: Int { pictures.count }

    /// Returns the picture at a URL for a view, scaled down to the view if the policy does so.
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
        // Another flight may have landed since the first look into the memory cache.
        if flight.freshness == .cached, let picture = memory?.image(for: flight.key)?.picture {
            journal.note { $0.memoryHits += 1 }
            return .success(picture)
        }
        guard policy.decodes == .withDownload else { return await made(url, flight, view, inside: nil) }
        guard let slot = await downloads.slot() else { return .failure(.cancelled) }
        defer { withExtendedLifetime(slot) {} }
        return await made(url, flight, view, inside: slot)
    }

    /// Loads the picture in `slot`, that of a download that includes decoding, or waits for one if it is `nil`.
    private func made(
        _ url: URL, _ flight: Flight, _ view: PixelSize, inside slot: SlotLimit.Slot?
    ) async -> Result<LoadedPicture, LoadFailure> {
        var original = flight
        original.key = flight.key.ofOriginal
        let slots = slot == nil ? downloads : SlotLimit(nil)
        let found = await originals.value(for: original) { [source] in
            // Held until the fetch ends, even if the caller has left and its mode cannot be cancelled.
            defer { withExtendedLifetime(slot) {} }
            return await source.image(at: url, flight.freshness, slots: slots)
        }
        switch found {
        case nil: return .failure(.cancelled)
        case .failure(let failure): return .failure(failure)
        case .success(let image):
            // An unchanged image was decoded before, unless the picture in memory is of an earlier version.
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
        case nil, .some(nil): return .failure(.cancelled)
        case .failure(let failure)??:
            journal.note { $0.undecodable += 1 }
            return .failure(.render(failure))
        case .success(let picture)??:
            journal.note { $0.decodes += 1 }
            memory?.store(CachedImage(picture: picture), for: key)
            return .success(picture)
        }
    }

    /// Returns the memory that decoding requires; journals what it would be at the view's size.
    private func cost(of image: EncodedImage, _ key: ImageKey, _ view: PixelSize) -> Int {
        let scaled = DecodeCost.byteCount(image.bytes, fitting: view, limits: world.limits)
        journal.note { $0.mostForOnePicture = max($0.mostForOnePicture, scaled) }
        return key.view == view ? scaled : DecodeCost.byteCount(image.bytes, fitting: key.view, limits: world.limits)
    }

    /// Decodes an image, and records the fingerprint of its bytes if required.
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

    /// The memory that decoding a picture requires, calculated by the decoders' rules.
    enum DecodeCost {
        /// Returns the bytes of the decoder's output and of a progressive JPEG's coefficients, or 0 for invalid pictures.
        ///
        /// The output may be larger than the kept picture; the coefficients precede its first pixel.
        static func byteCount(_ encoded: EncodedBytes, fitting view: PixelSize?, limits: RenderSettings) -> Int {
            let count = try? encoded.withBytes { bytes throws(RenderFailure) in
                let size = try Picture.size(of: bytes, limits: limits)
                let isTurned = Orientation.of(bytes).isTurned
                let fitted = view.map { size.fitted(into: isTurned ? $0.turned : $0) } ?? size
                guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return 4 * fitted.pixelCount }
                let coefficients = isProgressive(bytes) ? 3 * size.pixelCount : 0
                return 4 * size.smallestScaled(covering: fitted).pixelCount + coefficients
            }
            return count ?? 0
        }

        private static func isProgressive(_ bytes: UnsafeRawBufferPointer) -> Bool {
            var place = 2
            while place + 4 <= bytes.count, bytes[place] == 0xFF {
                let marker = bytes[place + 1]
                if marker == 0xC2 { return true }
                if marker == 0xC0 || marker == 0xC1 || marker == 0xDA { return false }
                place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
            }
            return false
        }
    }
}

package enum LoadFailure: Error, Hashable, Sendable {
    case cancelled
    case fetch(FetchFailure)
    /// The bytes cannot be decoded: the cell shows its fallback.
    case render(RenderFailure)
}
