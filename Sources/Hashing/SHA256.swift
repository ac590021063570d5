// SPDX-License-Identifier: Apache-2.0

import CHashing

/// A SHA-256 of bytes that come piece by piece.
///
/// The system's OpenSSL computes it, of which only this one algorithm is linked in: a process that is measured must
/// not hold a library for its hash.
package struct SHA256: Sendable {
    /// How many bytes a digest has.
    package static let byteCount = 32

    private var state = chashing_sha256()

    /// Starts a hash.
    package init() {
        chashing_sha256_begin(&state)
    }

    /// Takes the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        chashing_sha256_update(&state, bytes.baseAddress, bytes.count)
    }

    /// The digest of everything that was taken, which may go on.
    package func digest() -> [UInt8] {
        var last = state
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            chashing_sha256_finish(&last, buffer.baseAddress)
            count = Self.byteCount
        }
    }

    /// The digest in lower-case hexadecimal.
    package func hexadecimal() -> String {
        Self.hexadecimal(digest())
    }

    /// The hash of bytes that are there already, in lower-case hexadecimal.
    package static func hexadecimal(of bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.hexadecimal()
    }

    /// The hash of bytes that are there already, in lower-case hexadecimal.
    package static func hexadecimal(of bytes: UnsafeRawBufferPointer) -> String {
        hexadecimal(digest(of: bytes))
    }

    /// The digest of bytes that are there already.
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
