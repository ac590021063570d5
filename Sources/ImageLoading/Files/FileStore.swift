// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hashing
import Rendering
import Synchronization
import TrialKit

/// The entries of a file cache, with everything that blocks.
///
/// An entry is written under another name and gets its own by a rename, so that whoever is killed meanwhile leaves
/// nothing under it. A crash of the machine can still tear one: that is what length and SHA-256 are checked for at every
/// reading.
final class FileStore: Sendable {
    private struct State {
        var sizes = RecencyList<String, Int>()
        var account = CacheAccount()
        var damagedCount = 0
        var nextPartial = 0
        /// The paths that were handed out, at which something may be that is no entry yet.
        var partials: Set<String> = []

        mutating func book(_ byteCount: Int) {
            account.byteCount += byteCount
            account.cost = account.byteCount
            account.highestByteCount = max(account.highestByteCount, account.byteCount)
        }

        /// Looks how much lies in the folder, what is being written among it: to be called before any of it goes.
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
        self.limit = limit
        self.calls = calls
        var state = State()
        state.account.limit = limit
        for entry in folder.sweep() {
            state.sizes.insert(entry.byteCount, for: entry.name)
            state.book(entry.byteCount)
        }
        self.state = Mutex(state)
        makeRoom(for: 0)
        // What lay there before is not what this cache let it hold.
        self.state.withLock { $0.account.highestByteCount = $0.account.byteCount }
    }

    var account: CacheAccount {
        state.withLock { state in
            var account = state.account
            account.entryCount = state.sizes.count
            return account
        }
    }

    /// How many entries were found damaged, and removed.
    var damagedCount: Int { state.withLock { $0.damagedCount } }

    /// A path in the folder that nothing is at, for whoever fetches to a file.
    func partialPath() -> String {
        state.withLock { state in
            state.nextPartial += 1
            let path = folder.path(of: "\(state.nextPartial)\(CacheFolder.partialEnding)")
            state.partials.insert(path)
            return path
        }
    }

    /// Removes what is at a path that was handed out, if anything is.
    func discard(_ path: String) {
        state.withLock { state in
            state.look()
            state.partials.remove(path)
        }
        unlink(path)
    }

    /// An entry that is whole; a damaged one is removed and is none.
    func image(of url: String, by reading: FileReading) -> EncodedImage? {
        let name = CacheFolder.name(of: url)
        guard state.withLock({ $0.sizes.use(name) }) != nil else { return nil }
        guard let file = EntryFile(path: folder.path(of: name)) else {
            // Removed behind this cache's back.
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

    /// An entry that was stored just now, without looking at its body once more.
    func fresh(_ url: String, by reading: FileReading) -> EncodedImage? {
        guard let file = EntryFile(path: folder.path(of: CacheFolder.name(of: url))), let trailer = file.trailer()
        else { return nil }
        return file.image(trailer, by: reading)
    }

    func remove(url: String) { remove(CacheFolder.name(of: url)) }

    func removeAll() {
        while let name = state.withLock({ $0.sizes.leastRecent?.key }) { remove(name) }
    }

    /// Lets go of entries until so many bytes more fit below the limit.
    func makeRoom(for byteCount: Int) {
        guard let limit else { return }
        while let name = state.withLock({ $0.account.byteCount + byteCount > limit ? $0.sizes.leastRecent?.key : nil })
        {
            remove(name)
        }
    }

    /// The bytes of a file; 0 where there is none.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Lets go of the entries used longest ago, of so many bytes or more.
    /// - Returns: Whether there was anything to let go of.
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
        // First from the table: whoever looks for it from now on fetches it again.
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
    /// Writes an entry, or takes over the file that the bytes are in.
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
        // The most recent from now on: room is made by others, and an old version of it gives its own.
        makeRoom(for: total - (state.withLock { $0.sizes.use(name) } ?? 0))
        var status = write(image, of: url, to: path)
        while status == ENOSPC || status == EDQUOT {
            // What is written already, or was fetched to there, needs no room any more.
            guard evict(atLeast: max(1, total - Self.size(of: path))) else { break }
            status = write(image, of: url, to: path)
        }
        guard status == 0 else {
            discard(path)
            // What is under this name is not what the origin sends any more.
            remove(name)
            return status == ENOSPC || status == EDQUOT ? .noSpace : .failed(String(cString: strerror(status)))
        }
        return publish(path, as: name, byteCount: total)
    }

    /// Gives a finished file the name under which it is found.
    private func publish(_ path: String, as name: String, byteCount: Int) -> StoreOutcome {
        // In one step with the account: of two writers of one URL the last is counted, and two writers of two URLs are
        // not both let in for the room of one.
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

    /// Makes the whole file, or of a file that holds the body already what is missing; 0, or the error number.
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
            // What a first try has appended goes again.
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
