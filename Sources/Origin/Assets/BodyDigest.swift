// SPDX-License-Identifier: Apache-2.0

import Hashing
package import NIOCore

/// The size and SHA-256 of a body that arrives in pieces, which are not kept.
package struct BodyDigest: Sendable {
    package private(set) var byteCount = 0
    private var hash = SHA256()

    package init() {}

    package mutating func add(_ bytes: ByteBuffer) {
        byteCount += bytes.readableBytes
        bytes.withUnsafeReadableBytes { hash.update($0) }
    }

    package var json: [UInt8] {
        Array("{\"bytes\":\(byteCount),\"sha256\":\"\(hash.hexadecimal())\"}\n".utf8)
    }
}
