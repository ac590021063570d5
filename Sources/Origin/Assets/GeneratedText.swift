// SPDX-License-Identifier: Apache-2.0

package import Runs

/// A text of any size, computed and never stored: lines of words and numbers in ASCII.
///
/// A line has 64 bytes with its newline and depends on the seed and its index alone, so the cost of a range is
/// proportional to its length. The last line is cut off at the size.
package struct GeneratedText: GeneratedBody {
    package static let kind = ComputedKind.text

    package static let version = 1
    package static let mediaType = "text/plain; charset=utf-8"

    package let byteCount: Int
    package let seed: UInt64

    package init(checked byteCount: Int, seed: UInt64) {
        self.byteCount = byteCount
        self.seed = seed
    }

    private static let lineByteCount = 64

    /// The bytes that writing a line can touch: its last word begins in the line and has up to eight bytes.
    private static let scratchByteCount = lineByteCount + 8

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AssetError) {
        precondition(offset >= 0 && buffer.count <= byteCount - offset, "the bytes asked for must exist")
        guard let base = buffer.baseAddress else { return }
        let key = GeneratedBytes.mix(seed &+ GeneratedBytes.increment)
        Self.words.withUnsafeBufferPointer { words in
            withUnsafeTemporaryAllocation(byteCount: Self.scratchByteCount, alignment: 8) { scratch in
                guard let line = scratch.baseAddress else { return }
                var done = 0
                while done < buffer.count {
                    let skipped = (offset + done) % Self.lineByteCount
                    let count = min(Self.lineByteCount - skipped, buffer.count - done)
                    Self.write(UInt64((offset + done) / Self.lineByteCount), key, words, to: line)
                    (base + done).copyMemory(from: line + skipped, byteCount: count)
                    done += count
                }
            }
        }
    }

    /// Writes a line and the rest of its last word.
    private static func write(
        _ index: UInt64, _ key: UInt64, _ words: UnsafeBufferPointer<Word>, to line: UnsafeMutableRawPointer
    ) {
        var state = key &+ (index &+ 1) &* GeneratedBytes.increment
        var bits: UInt64 = 0
        var choices = 0
        var position = 0
        while position < lineByteCount - 1 {
            if choices == 0 {
                state = GeneratedBytes.mix(state &+ GeneratedBytes.increment)
                bits = state
                choices = 8
            }
            let word = words[Int(bits & 0xFF)]
            line.storeBytes(of: word.text, toByteOffset: position, as: UInt64.self)
            position += word.byteCount
            bits >>= 8
            choices -= 1
        }
        line.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: lineByteCount - 1, as: UInt8.self)
    }

    /// A word and a space, in at most eight bytes.
    private struct Word {
        /// The bytes in memory order.
        var text: UInt64
        var byteCount: Int

        init(_ text: String) {
            let bytes = Array(text.utf8) + [UInt8(ascii: " ")]
            precondition(bytes.count <= 8, "a word is stored in eight bytes")
            self.text = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }.littleEndian
            self.byteCount = bytes.count
        }
    }

    private static let words: [Word] = {
        let onsets = ["b", "br", "c", "d", "f", "gr", "h", "l", "m", "p", "r", "s", "st", "t", "w"]
        let rimes = [
            "a", "ade", "air", "and", "ark", "ast", "ell", "ent", "ile", "ing", "old", "on", "ound", "own", "ue", "y",
        ]
        let numbers = (0..<16).map { String(1 + $0 * $0 * 137) }
        return (onsets.flatMap { onset in rimes.map { onset + $0 } } + numbers).map(Word.init)
    }()
}
