// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Hashing
import MemProbe
import Synchronization

/// What is left of a body that was handed on before it was verified, and verifies it all the same.
///
/// The receipt keeps no byte alive: those in memory are hashed where they are, at the latest when whoever has them lets
/// go, so that a body is held for as long as it would be without it.
package struct BodyReceipt: Sendable {
    private let rest: FetchedBody
    private let bytes: WatchedHash?

    /// Makes a receipt of a body, which is to be handed on in place of the one that was given.
    package static func exchange(
        _ body: FetchedBody, verifiedBy verification: Verification
    ) -> (receipt: BodyReceipt, body: FetchedBody) {
        guard verification == .sha256, body.sha256 == nil, case .memory(let bytes) = body.content else {
            var rest = body
            // Who is handed the body decides how long its picture is held.
            rest.picture = nil
            if case .memory = rest.content { rest.content = .nothing }
            return (BodyReceipt(rest: rest, bytes: nil), body)
        }
        let hash = WatchedHash()
        var watched = body
        watched.content = .memory(WatchedBytes(bytes, hash))
        let rest = FetchedBody(content: .nothing, byteCount: body.byteCount)
        return (BodyReceipt(rest: rest, bytes: hash), watched)
    }

    /// The body to be verified, its hash with it where its bytes were in memory.
    var body: FetchedBody {
        guard let bytes else { return rest }
        let (sha256, cpu) = bytes.finished()
        var body = rest
        body.sha256 = sha256
        body.verificationCPUNanoseconds = cpu
        return body
    }
}

/// The hash of bytes that somebody else holds.
final class WatchedHash: Sendable {
    private struct State {
        weak var bytes: WatchedBytes?
        var sha256: String?
        var cpuNanoseconds = 0
    }

    private let state = Mutex(State())

    /// The hash, and the CPU time that it took in nanoseconds: made now where the bytes are still held.
    func finished() -> (sha256: String?, cpuNanoseconds: Int) {
        // Outside of the lock, which the end of the bytes takes, too.
        let held = state.withLock { $0.sha256 == nil ? $0.bytes : nil }
        if let held { held.withUnsafeBytes { hash($0) } }
        return state.withLock { ($0.sha256, $0.cpuNanoseconds) }
    }

    /// Takes note of the bytes to be hashed.
    func watch(_ bytes: WatchedBytes) {
        state.withLock { $0.bytes = bytes }
    }

    /// Hashes the bytes, unless they were before.
    func hash(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.sha256 == nil else { return }
            let start = MonotonicClock.threadCPU()
            var hasher = SHA256()
            hasher.update(bytes)
            state.sha256 = hasher.hexadecimal()
            state.cpuNanoseconds = MonotonicClock.threadCPU() - start
        }
    }
}

/// Bytes that are hashed when nobody holds them any more.
final class WatchedBytes: ContiguousBytes, Sendable {
    private let bytes: any ContiguousBytes & Sendable
    private let hash: WatchedHash

    init(_ bytes: any ContiguousBytes & Sendable, _ hash: WatchedHash) {
        self.bytes = bytes
        self.hash = hash
        hash.watch(self)
    }

    deinit {
        bytes.withUnsafeBytes { hash.hash($0) }
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes(body)
    }
}
