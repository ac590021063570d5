// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rendering

/// The first bytes of a mapped file, without the trailer.
struct MappedBody: ContiguousBytes, Sendable {
    let file: MappedFile
    let byteCount: Int

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // The pages are valid while the file lives; an untyped error cannot pass through its typed function.
        let bytes = file.withUnsafeBytes { $0 }
        defer { withExtendedLifetime(file) {} }
        return try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(byteCount)))
    }
}
