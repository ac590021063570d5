// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

/// A body of any size that is computed, never stored: the same bytes for the same seed, at every offset.
package protocol GeneratedBody: BodySource, Hashable {
    /// What it is, as the first segments of its path and of its tag say it.
    static var kind: ComputedKind { get }
    /// The version of the rule: a hash that was computed under another one is not used.
    static var version: Int { get }
    static var mediaType: String { get }
    /// What the bytes are derived from.
    var seed: UInt64 { get }
    /// Creates the body of this size, which is from 0 to ``GeneratedBytes/maximumByteCount``.
    init(checked byteCount: Int, seed: UInt64)
}

extension GeneratedBody {
    /// Creates the body of this size, from 0 to ``GeneratedBytes/maximumByteCount`` bytes.
    package init(byteCount: Int, seed: UInt64) throws(AssetError) {
        guard byteCount >= 0, byteCount <= GeneratedBytes.maximumByteCount else {
            throw AssetError(.tooLarge, "a body of \(byteCount) bytes is not served; the largest is 1TiB")
        }
        self.init(checked: byteCount, seed: seed)
    }

    package var path: String {
        "/\(Self.kind.segment)/\(ByteCount(byteCount).exactText)" + (seed == 0 ? "" : "?seed=\(seed)")
    }

    /// The second version of this body: that of the next seed, so that its hash is known in advance, too.
    package var changed: Self { Self(checked: byteCount, seed: seed &+ 1) }
}

/// A body of any kind that is computed.
package struct ComputedBody: Hashable, Sendable {
    /// What it is.
    package let kind: ComputedKind
    /// How many bytes it has.
    package let byteCount: Int
    /// What they are derived from.
    package let seed: UInt64

    /// Creates the body of this size, which is from 0 to ``GeneratedBytes/maximumByteCount``.
    package init(_ kind: ComputedKind, checked byteCount: Int, seed: UInt64) {
        self.kind = kind
        self.byteCount = byteCount
        self.seed = seed
    }

    /// What computes it.
    package var body: any GeneratedBody {
        switch kind {
        case .bytes: GeneratedBytes(checked: byteCount, seed: seed)
        case .text: GeneratedText(checked: byteCount, seed: seed)
        case .json: GeneratedJSON(checked: byteCount, seed: seed)
        }
    }
}
