// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Rendering
import Synchronization
import TrialKit

/// Gets the encoded bytes of images: from the file cache, or by a fetch whose body is kept as the policy wants it.
struct OriginalSource: Sendable {
    let policy: LoaderPolicy
    let fetcher: any Fetcher
    let folder: String
    let cache: any ImageCache
    let files: FileCache?
    let journal: LoaderJournal
    private let numbers = Numbers()
    private let copying = WorkerPool(most: 1)

    /// Counts the files that a loader without a file cache fetches to.
    private final class Numbers: Sendable {
        private let last = Atomic<Int>(0)

        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }

    init(
        policy: LoaderPolicy, fetcher: any Fetcher, folder: String, cache: any ImageCache, files: FileCache?,
        journal: LoaderJournal
    ) {
        self.policy = policy
        self.fetcher = fetcher
        self.folder = folder
        self.cache = cache
        self.files = files
        self.journal = journal
    }

    /// The image at a URL.
    /// - Parameter slots: Where a fetch waits for its turn; the file cache is asked without.
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
        // A device that is full takes the body once older images are gone.
        if case .failure(.fetch(let failure)) = result, failure.code == .file, let files,
            await files.evict(atLeast: max(1, files.account.byteCount / 2))
        {
            result = await body(of: url, kept)
        }
        switch result {
        case .failure(let failure):
            return failed(failure)
        case .success(let body) where body.isUnchanged:
            guard let kept else { return failed(.fetch(FetchFailure(.httpStatus, "status 304 to no condition"))) }
            journal.note { $0.revalidated += 1 }
            var image = kept
            image.isUnchanged = true
            return .success(image)
        case .success(let body):
            // What was paid for is kept, also where nobody waits for it any more.
            let image = await keep(body, key)
            return Task.isCancelled ? .failure(.cancelled) : image
        }
    }

    /// Counts what has failed at last, not what was tried again, and none that was cancelled.
    private func failed(_ failure: LoadFailure) -> Result<EncodedImage, LoadFailure> {
        if case .fetch(let failure) = failure { journal.failed(failure) }
        return .failure(failure)
    }

    /// Removes a file that a fetch was to make.
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
            // A mode that makes its file at once has made an empty one for what is unchanged; one of memory has made none.
            if body.filePath != destination { discard(destination) }
            // Fetched by a mode that cannot be stopped, or in the last moment.
            if Task.isCancelled { journal.note { $0.abandonedByteCount += body.byteCount } }
            return .success(body)
        } catch {
            discard(destination)
            return .failure(Task.isCancelled ? .cancelled : .fetch(error))
        }
    }

    /// Keeps a body in the file cache and in the buffer that the policy has for it.
    private func keep(_ body: FetchedBody, _ key: ImageKey) async -> Result<EncodedImage, LoadFailure> {
        let image: EncodedImage
        do throws(RenderFailure) {
            image = try await copying.run { [policy] in Self.buffered(body, as: policy.buffer) }.get()
        } catch {
            if let file = body.filePath { discard(file) }
            // It came, and cannot be read here: that says nothing of what it shows.
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

    /// The body where the policy has it: what the mode left elsewhere is moved.
    private static func buffered(
        _ body: FetchedBody, as buffer: LoaderPolicy.Buffer
    ) -> Result<EncodedImage, RenderFailure> {
        Result { () throws(RenderFailure) in
            switch (body.content, buffer) {
            case (.file(let path), .file):
                return EncodedImage(
                    try EncodedBytes(body), byteCount: body.byteCount, entityTag: body.entityTag, ownFile: path)
            case (.file(let path), .appended), (.file(let path), .reserved):
                let bytes = try MemoryCopy.bytes(
                    ofFile: path, byteCount: body.byteCount, reserving: buffer == .reserved)
                return EncodedImage(.memory(bytes), byteCount: bytes.count, entityTag: body.entityTag)
            case (.memory, _), (.nothing, _), (.consumed, _):
                return EncodedImage(try EncodedBytes(body), byteCount: body.byteCount, entityTag: body.entityTag)
            }
        }
    }
}

extension FetchedBody {
    /// The path of the file that it is in; `nil` where it is in none.
    fileprivate var filePath: String? {
        if case .file(let path) = content { path } else { nil }
    }
}
