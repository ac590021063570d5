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
        (self.byteCount, self.seed) = (byteCount, seed)
    }

    private static let lineByteCount = 64

    /// The bytes that writing a line can touch: its last word begins in the line and has up to eight bytes.
    private static let scratchByteCount = lineByteCount + 8

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
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

/// A JSON document of any size, computed and never stored: an array of records of 128 bytes.
///
/// Record `i` depends on the seed and `i` alone, so the cost of a range is proportional to its length. The rest of the
/// size after whole records is white space before the closing bracket. A document of a single byte is `0`.
package struct GeneratedJSON: GeneratedBody {
    package static let kind = ComputedKind.json

    package static let version = 1
    package static let mediaType = "application/json"

    package let byteCount: Int
    package let seed: UInt64

    package init(checked byteCount: Int, seed: UInt64) {
        (self.byteCount, self.seed) = (byteCount, seed)
    }

    package var recordCount: Int { max(0, byteCount - 2) / Self.recordByteCount }

    private static let recordByteCount = 128

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        precondition(offset >= 0 && buffer.count <= byteCount - offset, "the bytes asked for must exist")
        let key = GeneratedBytes.mix(seed &+ GeneratedBytes.increment)
        let end = 1 + recordCount * Self.recordByteCount
        var record: [UInt8] = []
        var done = 0
        while done < buffer.count {
            let position = offset + done
            guard (1..<end).contains(position) else {
                buffer[done] = edge(at: position)
                done += 1
                continue
            }
            let (index, skipped) = (position - 1).quotientAndRemainder(dividingBy: Self.recordByteCount)
            write(index, key, to: &record)
            let part = record[skipped..<min(record.count, skipped + buffer.count - done)]
            UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyBytes(from: part)
            done += part.count
        }
    }

    /// A byte before the first record or after the last.
    private func edge(at position: Int) -> UInt8 {
        switch position {
        case 0 where byteCount == 1: UInt8(ascii: "0")
        case 0: UInt8(ascii: "[")
        case byteCount - 1: UInt8(ascii: "]")
        default: UInt8(ascii: " ")
        }
    }

    private func write(_ index: Int, _ key: UInt64, to record: inout [UInt8]) {
        var state = key &+ (UInt64(index) &+ 1) &* GeneratedBytes.increment
        func next() -> UInt64 {
            state = GeneratedBytes.mix(state &+ GeneratedBytes.increment)
            return state
        }
        record.removeAll(keepingCapacity: true)
        record += Self.opening
        Self.append(UInt64(index), digits: 11, filler: " ", to: &record)
        record += Self.title
        for word in [next(), next()] {
            for shift in stride(from: 60, through: 0, by: -4) {
                record.append(Self.hexadecimal[Int(word >> shift & 15)])
            }
        }
        let (sizes, ratio, tags) = (next(), next(), next())
        record += Self.width
        Self.append(1000 + sizes % 9000, digits: 4, filler: "0", to: &record)
        record += Self.height
        Self.append(1000 + (sizes >> 32) % 9000, digits: 4, filler: "0", to: &record)
        record += Self.ratio
        Self.append(ratio % 10000, digits: 4, filler: "0", to: &record)
        record += Self.tags
        for shift in [0, 8, 16, 24] { record.append(Self.letter(tags >> shift)) }
        record += Self.between
        for shift in [32, 40, 48, 56] { record.append(Self.letter(tags >> shift)) }
        record += index == recordCount - 1 ? Self.last : Self.closing
    }

    private static let opening = Array(#"{"id":"#.utf8)
    private static let title = Array(#","title":""#.utf8)
    private static let width = Array(#"","width":"#.utf8)
    private static let height = Array(#","height":"#.utf8)
    private static let ratio = Array(#","ratio":0."#.utf8)
    private static let tags = Array(#","tags":[""#.utf8)
    private static let between = Array(#"",""#.utf8)
    private static let closing = Array("\"]},\n".utf8)
    private static let last = Array("\"]} \n".utf8)
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    private static func letter(_ bits: UInt64) -> UInt8 { UInt8(ascii: "a") + UInt8(bits & 0xFF) % 26 }

    private static func append(_ number: UInt64, digits: Int, filler: Unicode.Scalar, to record: inout [UInt8]) {
        let start = record.count
        record += repeatElement(UInt8(ascii: filler), count: digits)
        var (rest, place) = (number, start + digits - 1)
        repeat {
            record[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            place -= 1
        } while rest > 0
    }
}
