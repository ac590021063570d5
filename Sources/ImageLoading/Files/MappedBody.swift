// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rendering

/// The first bytes of a mapped file, as what decoders take: what stands behind them is no part of the image.
struct MappedBody: ContiguousBytes, Sendable {
    let file: MappedFile
    let byteCount: Int

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // The pages are valid while the file is: what throws untyped cannot be lent through its typed function.
        let bytes = file.withUnsafeBytes { $0 }
        defer { withExtendedLifetime(file) {} }
        return try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(byteCount)))
    }
}
