// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Hashing
import MemProbe
import Synchronization

/// Verifies a body after it was handed on.
///
/// A receipt keeps no byte alive: bytes in memory are hashed in place, at the latest when their holder releases them,
/// so that the body is held no longer than without it.
package struct BodyReceipt: Sendable {
    private let rest: FetchedBody
    private let bytes: WatchedHash?

    /// Returns a receipt and the body to be handed on in place of the given one.
    package static func exchange(
        _ body: FetchedBody, verifiedBy verification: Verification
    ) -> (receipt: BodyReceipt, body: FetchedBody) {
        guard verification == .sha256, body.sha256 == nil, case .memory(let bytes) = body.content else {
            var rest = body
            // The receiver of the body decides how long its picture is held.
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

    func watch(_ bytes: WatchedBytes) {
        state.withLock { $0.bytes = bytes }
    }

    /// Hashes the bytes, unless that was done before.
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
