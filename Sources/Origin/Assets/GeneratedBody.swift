// SPDX-License-Identifier: Apache-2.0

package import Runs

/// A body of any size that is computed, never stored: the same bytes for the same seed, at every offset.
package protocol GeneratedBody: BodySource, Hashable {
    static var kind: ComputedKind { get }
    /// The version of the algorithm; hashes of other versions are not used.
    static var version: Int { get }
    static var mediaType: String { get }
    var seed: UInt64 { get }
    /// Creates a body of `byteCount` bytes, from 0 to ``GeneratedBytes/maximumByteCount``.
    init(checked byteCount: Int, seed: UInt64)
}

extension GeneratedBody {
    package init(byteCount: Int, seed: UInt64) throws {
        guard byteCount >= 0, byteCount <= GeneratedBytes.maximumByteCount else {
            throw FetchBenchError("a body of \(byteCount) bytes is not served; the largest is 1TiB")
        }
        self.init(checked: byteCount, seed: seed)
    }

    package var path: String {
        "/\(Self.kind.segment)/\(ByteCount(byteCount).exactText)" + (seed == 0 ? "" : "?seed=\(seed)")
    }

    /// The second version of this body: that of the next seed, so that its hash can also be computed in advance.
    package var changed: Self { Self(checked: byteCount, seed: seed &+ 1) }
}

package struct ComputedBody: Hashable, Sendable {
    package let kind: ComputedKind
    package let byteCount: Int
    package let seed: UInt64

    package init(_ kind: ComputedKind, checked byteCount: Int, seed: UInt64) {
        (self.kind, self.byteCount, self.seed) = (kind, byteCount, seed)
    }

    package var body: any GeneratedBody {
        switch kind {
        case .bytes: GeneratedBytes(checked: byteCount, seed: seed)
        case .text: GeneratedText(checked: byteCount, seed: seed)
        case .json: GeneratedJSON(checked: byteCount, seed: seed)
        }
    }
}

/// Pseudorandom bytes of any number, computed and never stored.
///
/// The 64-bit word at index `i` depends on the seed and `i` alone, so the cost of a range is proportional to its
/// length, wherever it begins. Words are little-endian.
///
/// The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: *Fast Splittable Pseudorandom Number
/// Generators*, 2014), applied to a counter.
package struct GeneratedBytes: GeneratedBody {
    package static let kind = ComputedKind.bytes

    package static let mediaType = "application/octet-stream"

    package static let version = 1

    /// The maximum size in bytes: 1 TiB.
    package static let maximumByteCount = AssetName.largestSize.rawValue

    package let byteCount: Int
    package let seed: UInt64

    package init(checked byteCount: Int, seed: UInt64) {
        (self.byteCount, self.seed) = (byteCount, seed)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        precondition(offset >= 0 && buffer.count <= byteCount - offset, "the bytes asked for must exist")
        guard let base = buffer.baseAddress else { return }
        let key = Self.mix(seed &+ Self.increment)
        var block = UInt64(offset / 8)
        var done = 0
        if offset % 8 != 0 {
            done = min(8 - offset % 8, buffer.count)
            store(Self.word(key, block), skipping: offset % 8, count: done, at: base)
            block += 1
        }
        let words = (buffer.count - done) / 8
        Self.fill(base + done, words: words, key: key, from: block)
        done += words * 8
        if done < buffer.count {
            store(Self.word(key, block + UInt64(words)), skipping: 0, count: buffer.count - done, at: base + done)
        }
    }

    /// The constant of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Stores whole words, in a loop that does nothing else.
    private static func fill(_ base: UnsafeMutableRawPointer, words: Int, key: UInt64, from block: UInt64) {
        var state = key &+ (block &+ 1) &* increment
        for index in 0..<words {
            base.storeBytes(of: mix(state).littleEndian, toByteOffset: index * 8, as: UInt64.self)
            state &+= increment
        }
    }

    /// Stores a part of one word, at the edge of a range that is not aligned to words.
    private func store(_ word: UInt64, skipping: Int, count: Int, at base: UnsafeMutableRawPointer) {
        withUnsafeBytes(of: word.littleEndian) { bytes in
            for index in 0..<count {
                base.storeBytes(of: bytes[skipping + index], toByteOffset: index, as: UInt8.self)
            }
        }
    }

    @inline(__always)
    private static func word(_ key: UInt64, _ block: UInt64) -> UInt64 {
        mix(key &+ (block &+ 1) &* increment)
    }

    @inline(__always)
    static func mix(_ state: UInt64) -> UInt64 {
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
