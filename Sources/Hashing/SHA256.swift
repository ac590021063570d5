// SPDX-License-Identifier: Apache-2.0

import CHashing

/// An incremental SHA-256.
///
/// The system's OpenSSL computes it, of which only this algorithm is linked in: a measured process must not load a
/// library for it.
package struct SHA256: Sendable {
    package static let byteCount = 32

    private var state = chashing_sha256()

    package init() { chashing_sha256_begin(&state) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        chashing_sha256_update(&state, bytes.baseAddress, bytes.count)
    }

    /// Returns the digest of the bytes so far; more may follow.
    package func digest() -> [UInt8] {
        var last = state
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            chashing_sha256_finish(&last, buffer.baseAddress)
            count = Self.byteCount
        }
    }

    package func hexadecimal() -> String { Self.hexadecimal(digest()) }

    package static func hexadecimal(of bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { hexadecimal(of: $0) }
    }

    package static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String { hexadecimal(digest(of: bytes)) }

    package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest()
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
