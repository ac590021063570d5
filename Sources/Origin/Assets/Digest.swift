// SPDX-License-Identifier: Apache-2.0

import Hashing

/// The SHA-256 of large bodies.
package enum Digest {
    private static let window = 64 * 1024

    /// Returns the SHA-256 of a body in lower-case hexadecimal, read 64 KiB at a time.
    package static func sha256(of source: some BodySource) throws(AssetError) -> String {
        var hash = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: window, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < source.byteCount {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(min(window, source.byteCount - offset)))
            try source.read(into: part, at: offset)
            hash.update(UnsafeRawBufferPointer(part))
            offset += part.count
        }
        return hash.hexadecimal()
    }
}
