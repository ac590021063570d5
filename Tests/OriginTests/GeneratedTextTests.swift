// SPDX-License-Identifier: Apache-2.0

import Origin
import Testing

@Suite("A generated text")
struct GeneratedTextTests {
    private func bytes(_ text: GeneratedText, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: range.count + 16)
        try bytes.withUnsafeMutableBytes {
            try text.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[8..<8 + range.count]), at: range.lowerBound)
        }
        #expect(bytes.prefix(8).allSatisfy { $0 == 0xAA } && bytes.suffix(8).allSatisfy { $0 == 0xAA })
        return Array(bytes[8..<8 + range.count])
    }

    @Test("is lines of words and numbers in ASCII")
    func lines() throws {
        let text = String(decoding: try bytes(GeneratedText(byteCount: 64_000, seed: 7), 0..<64_000), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 1001 && lines.last == "")
        #expect(Set(lines).count == 1001, "every line is another one")
        #expect(lines.dropLast().allSatisfy { $0.utf8.count == 63 })
        let alphabet = Set("abcdefghijklmnopqrstuvwxyz0123456789 \n".utf8)
        #expect(text.utf8.allSatisfy(alphabet.contains))
        let words = Set(text.split { $0 == " " || $0 == "\n" })
        #expect(words.isSuperset(of: ["ground", "band", "tell", "brown", "1", "138"]))
        #expect(words.count > 256, "the words, the numbers, and those that a line cuts")
    }

    @Test("is the same at every offset", arguments: [0, 1, 62, 63, 64, 65, 127, 128, 999, 4095])
    func offsets(offset: Int) throws {
        let text = try GeneratedText(byteCount: 5000, seed: 3)
        let whole = try bytes(text, 0..<5000)
        for count in [0, 1, 2, 63, 64, 65, 130, 905] {
            let end = min(offset + count, 5000)
            #expect(try bytes(text, offset..<end) == Array(whole[offset..<end]))
        }
    }

    @Test("stays what it is: hashes of it are kept")
    func golden() throws {
        let text = try GeneratedText(byteCount: 1_000_001, seed: 7)
        #expect(try text.sha256() == "5b7847c330c22e6fe4b48c361cb38abcc9c8e833730bebe8b08758b9185c0aa1")
        #expect(try text.changed.sha256() == GeneratedText(byteCount: 1_000_001, seed: 8).sha256())
        #expect(try text.sha256() != text.changed.sha256())
    }

    @Test("is far into a large size where it should be")
    func farAway() throws {
        let text = try GeneratedText(byteCount: GeneratedBytes.maximumByteCount, seed: 1)
        let end = GeneratedBytes.maximumByteCount
        #expect(try bytes(text, end - 64..<end).last == UInt8(ascii: "\n"))
        #expect(try bytes(text, end - 64..<end - 32) + bytes(text, end - 32..<end) == bytes(text, end - 64..<end))
    }
}
