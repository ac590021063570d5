// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import Rendering
import Synchronization
import TrialKit

/// The blocking operations on the entries of a file cache.
///
/// An entry is written under a temporary name and renamed, so a killed process leaves no partial entry. A crash of the
/// machine can still leave one, so length and SHA-256 are checked at every reading.
final class FileStore: Sendable {
    private struct State {
        var sizes = RecencyList<String, Int>()
        var account = CacheAccount()
        var damagedCount = 0
        var nextPartial = 0
        /// The paths handed out by ``partialPath()``, at which unfinished files may exist.
        var partials: Set<String> = []

        mutating func book(_ byteCount: Int) {
            account.byteCount += byteCount
            account.cost = account.byteCount
            account.highestByteCount = max(account.highestByteCount, account.byteCount)
        }

        /// Updates the maximum by the bytes now in the folder, including unfinished files; called before removals.
        mutating func look() {
            let unfinished = partials.reduce(0) { $0 + FileStore.size(of: $1) }
            account.highestByteCount = max(account.highestByteCount, account.byteCount + unfinished)
        }
    }

    private let folder: CacheFolder
    private let limit: Int?
    private let calls: FileCalls
    private let state: Mutex<State>

    init(folder path: String, limit: Int?, calls: FileCalls) throws(FileCacheError) {
        folder = try CacheFolder(path, calls: calls)
        (self.limit, self.calls) = (limit, calls)
        var state = State()
        state.account.limit = limit
        for entry in folder.sweep() {
            state.sizes.insert(entry.byteCount, for: entry.name)
            state.book(entry.byteCount)
        }
        self.state = Mutex(state)
        makeRoom(for: 0)
        // Earlier contents of the folder do not count.
        self.state.withLock { $0.account.highestByteCount = $0.account.byteCount }
    }

    var account: CacheAccount {
        state.withLock { state in
            var account = state.account
            account.entryCount = state.sizes.count
            return account
        }
    }

    var damagedCount: Int { state.withLock { $0.damagedCount } }

    func partialPath() -> String {
        state.withLock { state in
            state.nextPartial += 1
            let path = folder.path(of: "\(state.nextPartial)\(CacheFolder.partialEnding)")
            state.partials.insert(path)
            return path
        }
    }

    func discard(_ path: String) {
        state.withLock { state in
            state.look()
            state.partials.remove(path)
        }
        unlink(path)
    }

    /// Returns a valid entry; a damaged one is removed.
    func image(of url: String, by reading: FileReading) -> EncodedImage? {
        let name = CacheFolder.name(of: url)
        guard state.withLock({ $0.sizes.use(name) }) != nil else { return nil }
        guard let file = EntryFile(path: folder.path(of: name)) else {
            // Removed by another process.
            forget(name)
            return nil
        }
        guard let trailer = file.trailer(), trailer.url == url, file.hasBody(of: trailer),
            let image = file.image(trailer, by: reading)
        else {
            state.withLock { $0.damagedCount += 1 }
            remove(name)
            return nil
        }
        file.touch()
        return image
    }

    /// Returns an entry that was just stored, without checking its body again.
    func fresh(_ url: String, by reading: FileReading) -> EncodedImage? {
        guard let file = EntryFile(path: folder.path(of: CacheFolder.name(of: url))), let trailer = file.trailer()
        else { return nil }
        return file.image(trailer, by: reading)
    }

    func remove(url: String) { remove(CacheFolder.name(of: url)) }

    func removeAll() {
        while let name = state.withLock({ $0.sizes.leastRecent?.key }) { remove(name) }
    }

    func makeRoom(for byteCount: Int) {
        guard let limit else { return }
        while let name = state.withLock({ $0.account.byteCount + byteCount > limit ? $0.sizes.leastRecent?.key : nil })
        {
            remove(name)
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Evicts the least recently used entries, of at least so many bytes; returns true if there were any.
    func evict(atLeast byteCount: Int) -> Bool {
        var freed = 0
        while freed < byteCount, let oldest = state.withLock({ $0.sizes.leastRecent }) {
            remove(oldest.key)
            freed += oldest.value
        }
        return freed > 0
    }

    private func remove(_ name: String) {
        state.withLock { $0.look() }
        // First from the table, so that later requests fetch it again.
        forget(name)
        unlink(folder.path(of: name))
    }

    private func forget(_ name: String) {
        state.withLock { state in
            if let size = state.sizes.remove(name) { state.book(-size) }
        }
    }
}

extension FileStore {
    /// Writes an entry, or takes over the file that contains the bytes.
    func store(_ image: EncodedImage, of url: String) -> StoreOutcome {
        let name = CacheFolder.name(of: url)
        let path = image.ownFile ?? partialPath()
        guard let trailerLength = EntryTrailer.length(url: url, entityTag: image.entityTag) else {
            discard(path)
            return .failed("a URL or an entity tag of more than \(EntryTrailer.longestText) bytes")
        }
        let total = image.byteCount + trailerLength
        if let limit, total > limit {
            discard(path)
            remove(name)
            return .tooLarge
        }
        // Marks the old version as the most recent: others are evicted, and its own space will be reused.
        makeRoom(for: total - (state.withLock { $0.sizes.use(name) } ?? 0))
        var status = write(image, of: url, to: path)
        while status == ENOSPC || status == EDQUOT {
            // Bytes already at the path need no more room.
            guard evict(atLeast: max(1, total - Self.size(of: path))) else { break }
            status = write(image, of: url, to: path)
        }
        guard status == 0 else {
            discard(path)
            // An older version under this name is outdated.
            remove(name)
            return status == ENOSPC || status == EDQUOT ? .noSpace : .failed(String(cString: strerror(status)))
        }
        return publish(path, as: name, byteCount: total)
    }

    private func publish(_ path: String, as name: String, byteCount: Int) -> StoreOutcome {
        // In one step with the account: the last of two writers of one URL is counted, and two writers of different
        // URLs cannot both use the room for one.
        let status = state.withLock { state -> CInt in
            state.look()
            let old = state.sizes.use(name) ?? 0
            while let limit, state.account.byteCount + byteCount - old > limit,
                let oldest = state.sizes.removeLeastRecent()
            {
                state.book(-oldest.value)
                unlink(folder.path(of: oldest.key))
            }
            guard rename(path, folder.path(of: name)) == 0 else { return errno }
            state.partials.remove(path)
            if let old = state.sizes.insert(byteCount, for: name) { state.book(-old) }
            state.book(byteCount)
            return 0
        }
        guard status == 0 else {
            discard(path)
            return .failed(String(cString: strerror(status)))
        }
        return .kept
    }

    /// Writes the whole file, or the part after a body that is already in it; returns 0 or the error number.
    private func write(_ image: EncodedImage, of url: String, to path: String) -> CInt {
        let flags = image.ownFile == nil ? O_CREAT | O_TRUNC : 0
        let descriptor = open(path, O_RDWR | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var digest: [UInt8]?
        if image.ownFile == nil {
            let status = withBytes(of: image) { bytes in
                digest = SHA256.digest(of: bytes)
                return calls.writeAll(bytes, to: descriptor)
            }
            guard status == 0 else { return status }
        } else {
            // Removes what a first try has appended.
            guard ftruncate(descriptor, off_t(image.byteCount)) == 0, lseek(descriptor, 0, SEEK_END) >= 0
            else { return errno }
            digest = EntryFile.digest(of: descriptor, byteCount: image.byteCount)
        }
        guard let digest else { return EIO }
        let trailer = EntryTrailer(
            url: url, entityTag: image.entityTag, bodyLength: image.byteCount, bodyDigest: digest)
        return trailer.bytes.withUnsafeBytes { calls.writeAll($0, to: descriptor) }
    }

    private func withBytes(of image: EncodedImage, _ body: (UnsafeRawBufferPointer) -> CInt) -> CInt {
        (try? image.bytes.withBytes { bytes throws(RenderFailure) in body(bytes) }) ?? EIO
    }
}
