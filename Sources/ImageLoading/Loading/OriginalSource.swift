// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Rendering
import Synchronization
import TrialKit

/// The source of encoded images: the file cache, or a fetch whose body is buffered by the policy.
struct OriginalSource: Sendable {
    let policy: LoaderPolicy
    let fetcher: any Fetcher
    let folder: String
    let cache: any ImageCache
    let files: FileCache?
    let journal: LoaderJournal
    private let numbers = Numbers()
    private let copying = WorkerPool(most: 1)

    /// The numbers of the files of a loader without a file cache.
    private final class Numbers: Sendable {
        private let last = Atomic<Int>(0)

        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }

    /// Returns the image at a URL; a fetch waits for a slot, the file cache does not.
    func image(
        at url: URL, _ freshness: Freshness, slots: SlotLimit
    ) async -> Result<EncodedImage, LoadFailure> {
        let key = ImageKey(url: url.absoluteString)
        let kept = freshness == .reloaded ? nil : await files?.image(for: key)?.encoded
        if let kept, freshness == .cached {
            journal.note { $0.fileHits += 1 }
            return .success(kept)
        }
        let result = await slots.withSlot { await fetched(url, key, kept) }
        return result ?? .failure(.cancelled)
    }

    private func fetched(_ url: URL, _ key: ImageKey, _ kept: EncodedImage?) async -> Result<EncodedImage, LoadFailure>
    {
        var result = await body(of: url, kept)
        // A full device accepts the body after older images are evicted.
        if case .failure(.fetch(let failure)) = result, failure.code == .file, let files,
            await files.evict(atLeast: max(1, files.account.byteCount / 2))
        {
            result = await body(of: url, kept)
        }
        switch result {
        case .failure(let failure): return failed(failure)
        case .success(let body) where body.isUnchanged:
            guard let kept else { return failed(.fetch(FetchFailure(.httpStatus, "status 304 to no condition"))) }
            journal.note { $0.revalidated += 1 }
            var image = kept
            image.isUnchanged = true
            return .success(image)
        case .success(let body):
            // Stored even if no caller waits for it any more, because it was already transferred.
            let image = await keep(body, key)
            return Task.isCancelled ? .failure(.cancelled) : image
        }
    }

    /// Counts a final failure, not one that is retried or a cancellation.
    private func failed(_ failure: LoadFailure) -> Result<EncodedImage, LoadFailure> {
        if case .fetch(let failure) = failure { journal.failed(failure) }
        return .failure(failure)
    }

    private func discard(_ path: String) {
        if let files { files.discard(path) } else { unlink(path) }
    }

    private func body(of url: URL, _ kept: EncodedImage?) async -> Result<FetchedBody, LoadFailure> {
        let destination = files?.partialPath() ?? "\(folder)/\(numbers.next()).body"
        var request = FetchRequest(url: url, destination: destination)
        request.wantsEntityTag = files != nil
        request.entityTag = kept?.entityTag
        journal.beganFetching(url.absoluteString)
        defer { journal.note { $0.running -= 1 } }
        do throws(FetchFailure) {
            try await fetcher.prepare(for: request)
            let body = try await fetcher.fetch(request)
            journal.note { counts in
                counts.fetchedByteCount += body.byteCount
                if !body.isUnchanged { counts.completedByURL[url.absoluteString, default: 0] += 1 }
            }
            // A mode that creates its file at once leaves an empty one for an unchanged body; modes in memory create
            // none.
            if body.filePath != destination { discard(destination) }
            // Fetched by a mode that cannot be cancelled, or at the last moment.
            if Task.isCancelled { journal.note { $0.ranOn += 1 } }
            return .success(body)
        } catch {
            discard(destination)
            return .failure(Task.isCancelled ? .cancelled : .fetch(error))
        }
    }

    /// Stores a body in the file cache and in the policy's buffer.
    private func keep(_ body: FetchedBody, _ key: ImageKey) async -> Result<EncodedImage, LoadFailure> {
        let image: EncodedImage
        do throws(RenderFailure) {
            image = try await copying.run { [policy] in Self.buffered(body, as: policy.buffer) }.get()
        } catch {
            if let file = body.filePath { discard(file) }
            // It was received but cannot be read here, which does not mean that it is not a picture.
            return failed(.fetch(FetchFailure(.file, error.detail)))
        }
        // Copied into memory.
        if image.ownFile == nil, let file = body.filePath { discard(file) }
        guard let files else {
            if let file = image.ownFile { unlink(file) }
            return .success(image)
        }
        let outcome = await cache.store(CachedImage(encoded: image), for: key)
        // The mapping outlives the file's name.
        if outcome != .kept, let file = image.ownFile { discard(file) }
        if policy.buffer == .file, outcome == .kept, let fresh = await files.fresh(key) { return .success(fresh) }
        return .success(image)
    }

    /// Returns the body in the policy's buffer, moving it there if necessary.
    private static func buffered(
        _ body: FetchedBody, as buffer: LoaderPolicy.Buffer
    ) -> Result<EncodedImage, RenderFailure> {
        Result { () throws(RenderFailure) in
            switch (body.content, buffer) {
            case (.file(let path), .file):
                return EncodedImage(
                    try EncodedBytes(body), byteCount: body.byteCount, entityTag: body.entityTag, ownFile: path)
            case (.file(let path), .appended), (.file(let path), .reserved):
                var bytes: [UInt8] = []
                if buffer == .reserved { bytes.reserveCapacity(body.byteCount) }
                // Piece by piece, as a data task collects a body.
                try FilePieces.read(path, length: 64 * 1024) { piece throws(RenderFailure) in
                    bytes.append(contentsOf: piece)
                }
                return EncodedImage(.memory(bytes), byteCount: bytes.count, entityTag: body.entityTag)
            case (.memory, _), (.nothing, _), (.consumed, _):
                return EncodedImage(try EncodedBytes(body), byteCount: body.byteCount, entityTag: body.entityTag)
            }
        }
    }
}

extension FetchedBody {
    fileprivate var filePath: String? {
        if case .file(let path) = content { path } else { nil }
    }
}
