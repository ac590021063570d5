// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Hashing
import MemProbe

/// Hashes bodies that the mode did not hash itself, through one buffer that exists before the baseline.
package final class BodyVerifier {
    private static let bufferSize = 64 * 1024
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)

    package init() {
        // Touched now, so that it is part of the baseline.
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        buffer.deallocate()
    }

    /// Reads the length of a body, its hash if wanted, and its share of the page cache; `nil` for no body.
    package func reading(of body: FetchedBody, by verification: Verification) throws(FetchFailure) -> BodyReading? {
        if case .nothing = body.content, body.byteCount == 0 { return nil }
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
        case .memory(let bytes):
            return bytes.withUnsafeBytes { SHA256.hexadecimal(of: $0) }
        case .file(let path):
            return try hash(ofFile: path)
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
}
