// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

/// A body of any size that is computed, never stored: the same bytes for the same seed, at every offset.
package protocol GeneratedBody: BodySource, Hashable {
    /// The kind, which its path and its tag contain.
    static var kind: ComputedKind { get }
    /// The version of the algorithm; hashes of other versions are not used.
    static var version: Int { get }
    static var mediaType: String { get }
    var seed: UInt64 { get }
    /// Creates a body of `byteCount` bytes, from 0 to ``GeneratedBytes/maximumByteCount``.
    init(checked byteCount: Int, seed: UInt64)
}

extension GeneratedBody {
    package init(byteCount: Int, seed: UInt64) throws(AssetError) {
        guard byteCount >= 0, byteCount <= GeneratedBytes.maximumByteCount else {
            throw AssetError(.tooLarge, "a body of \(byteCount) bytes is not served; the largest is 1TiB")
        }
        self.init(checked: byteCount, seed: seed)
    }

    package var path: String {
        "/\(Self.kind.segment)/\(ByteCount(byteCount).exactText)" + (seed == 0 ? "" : "?seed=\(seed)")
    }

    /// The second version of this body: that of the next seed, so that its hash can also be computed in advance.
    package var changed: Self { Self(checked: byteCount, seed: seed &+ 1) }
}

/// The parameters of a computed body of any kind.
package struct ComputedBody: Hashable, Sendable {
    package let kind: ComputedKind
    package let byteCount: Int
    package let seed: UInt64

    /// Creates a body of `byteCount` bytes, from 0 to ``GeneratedBytes/maximumByteCount``.
    package init(_ kind: ComputedKind, checked byteCount: Int, seed: UInt64) {
        self.kind = kind
        self.byteCount = byteCount
        self.seed = seed
    }

    package var body: any GeneratedBody {
        switch kind {
        case .bytes: GeneratedBytes(checked: byteCount, seed: seed)
        case .text: GeneratedText(checked: byteCount, seed: seed)
        case .json: GeneratedJSON(checked: byteCount, seed: seed)
        }
    }
}
