// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Hashing
import MemProbe
import Synchronization

/// Hashes bodies that the mode did not hash itself, through one buffer that exists before the baseline.
package final class BodyVerifier {
    private static let bufferSize = 64 * 1024
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)

    package init() {
        // Touched now, so that it is part of the baseline.
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { buffer.deallocate() }

    /// Reads the length of a body, its hash if wanted, and its share of the page cache; `nil` for no body.
    package func reading(of body: FetchedBody, by verification: Verification) throws(FetchFailure) -> BodyReading? {
        // A body that is dropped as it comes has no content either; only its hash tells it from none.
        if case .nothing = body.content, body.byteCount == 0, body.sha256 == nil { return nil }
        var reading = BodyReading(
            byteCount: ByteCount(body.byteCount), sha256: body.sha256,
            verificationCPUNanoseconds: body.verificationCPUNanoseconds)
        if case .file(let path) = body.content {
            reading.pageCache = try? PageCache.residentBytes(ofFile: path)
        }
        guard verification == .sha256, body.sha256 == nil else { return reading }
        let start = MonotonicClock.threadCPU()
        reading.sha256 = try hash(of: body.content)
        reading.verificationCPUNanoseconds = MonotonicClock.threadCPU() - start
        return reading
    }

    private func hash(of content: FetchedBody.Content) throws(FetchFailure) -> String? {
        switch content {
        case .nothing, .consumed:
            // A consumer keeps no bytes: they were hashed on the way.
            return nil
        case .memory(let bytes): return bytes.withUnsafeBytes { SHA256.hexadecimal(of: $0) }
        case .file(let path): return try hash(ofFile: path)
        }
    }

    private func hash(ofFile path: String) throws(FetchFailure) -> String {
        var hasher = SHA256()
        let failure = { (reason: String) in FetchFailure(.file, "the fetched file \(reason)") }
        try FilePieces.read(path, through: buffer, failure: failure) { piece throws(FetchFailure) in
            hasher.update(piece)
        }
        return hasher.hexadecimal()
    }

    /// Verifies a body after it was handed on.
    ///
    /// A receipt keeps no byte alive: bytes in memory are hashed in place, at the latest when their holder releases them,
    /// so that the body is held no longer than without it.
    package struct Receipt: Sendable {
        private let rest: FetchedBody
        private let bytes: WatchedHash?

        /// Returns a receipt and the body to be handed on in place of the given one.
        package static func exchange(
            _ body: FetchedBody, verifiedBy verification: Verification
        ) -> (receipt: Receipt, body: FetchedBody) {
            guard verification == .sha256, body.sha256 == nil, case .memory(let bytes) = body.content else {
                var rest = body
                // The receiver of the body decides how long its picture is held.
                rest.picture = nil
                if case .memory = rest.content { rest.content = .nothing }
                return (Receipt(rest: rest, bytes: nil), body)
            }
            let hash = WatchedHash()
            var watched = body
            watched.content = .memory(WatchedBytes(bytes, hash))
            let rest = FetchedBody(content: .nothing, byteCount: body.byteCount)
            return (Receipt(rest: rest, bytes: hash), watched)
        }

        /// The body to be verified, with its hash if its bytes were in memory.
        var body: FetchedBody {
            guard let bytes else { return rest }
            let (sha256, cpu) = bytes.finished()
            var body = rest
            body.sha256 = sha256
            body.verificationCPUNanoseconds = cpu
            return body
        }
    }
}

/// The hash of bytes with another owner.
final class WatchedHash: Sendable {
    private struct State {
        weak var bytes: WatchedBytes?
        var sha256: String?
        var cpuNanoseconds = 0
    }

    private let state = Mutex(State())

    /// Returns the hash and its CPU time in nanoseconds; hashes now if the bytes are still held.
    func finished() -> (sha256: String?, cpuNanoseconds: Int) {
        // Outside of the lock, which the bytes' deinitialiser takes as well.
        let held = state.withLock { $0.sha256 == nil ? $0.bytes : nil }
        if let held { held.withUnsafeBytes { hash($0) } }
        return state.withLock { ($0.sha256, $0.cpuNanoseconds) }
    }

    func watch(_ bytes: WatchedBytes) { state.withLock { $0.bytes = bytes } }

    func hash(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.sha256 == nil else { return }
            let start = MonotonicClock.threadCPU()
            state.sha256 = SHA256.hexadecimal(of: bytes)
            state.cpuNanoseconds = MonotonicClock.threadCPU() - start
        }
    }
}

/// Bytes that are hashed when they are released.
final class WatchedBytes: ContiguousBytes, Sendable {
    private let bytes: any ContiguousBytes & Sendable
    private let hash: WatchedHash

    init(_ bytes: any ContiguousBytes & Sendable, _ hash: WatchedHash) {
        (self.bytes, self.hash) = (bytes, hash)
        hash.watch(self)
    }

    deinit {
        bytes.withUnsafeBytes { hash.hash($0) }
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}

/// The common reading of several bodies, which have to be the same.
package struct AgreedBody: Sendable {
    package private(set) var reading: BodyReading?

    package init() {}

    /// Adds the reading of another body; ignores `nil`.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if it differs from the first: one of the two is wrong.
    package mutating func take(_ next: BodyReading?) throws(FetchFailure) {
        guard let next else { return }
        guard let reading else {
            reading = next
            return
        }
        guard reading.byteCount == next.byteCount, reading.sha256 == next.sha256 else {
            throw .unlike(reading.words, next.words)
        }
    }
}

extension BodyReading {
    /// Returns the common reading of several bodies; `nil` for none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if two of them differ.
    package init?(joining readings: [BodyReading]) throws(FetchFailure) {
        var agreed = AgreedBody()
        for reading in readings { try agreed.take(reading) }
        guard let first = agreed.reading else { return nil }
        self.init(ofSet: readings)
        (byteCount, sha256, bodyCount) = (first.byteCount, first.sha256, nil)
    }

    /// Returns the reading of a set in the order of its requests: all bytes, and the hash of the hashes; `nil` for none.
    package init?(ofSet readings: [BodyReading]) {
        guard !readings.isEmpty else { return nil }
        let hashes = readings.compactMap(\.sha256)
        self.init(
            byteCount: readings.reduce(.zero) { $0 + $1.byteCount },
            sha256: hashes.isEmpty ? nil : SHA256.hexadecimal(of: Array(hashes.joined().utf8)),
            verificationCPUNanoseconds: readings.reduce(0) { $0 + $1.verificationCPUNanoseconds })
        bodyCount = readings.count
        let cached = readings.compactMap(\.pageCache)
        pageCache = cached.isEmpty ? nil : cached.reduce(.zero, +)
    }

    fileprivate var words: String { FetchFailure.words(byteCount: byteCount.rawValue, sha256: sha256) }
}

extension FetchFailure {
    /// The failure of two different bodies of one asset, each with its description.
    package static func unlike(_ one: String, _ other: String) -> FetchFailure {
        FetchFailure(.wrongBody, "the asset was fetched as two bodies: \(one) and \(other)")
    }

    package static func words(byteCount: Int, sha256: String?) -> String {
        "\(byteCount) bytes" + (sha256.map { " with SHA-256 \($0.prefix(16))…" } ?? "")
    }
}
