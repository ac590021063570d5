// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Testing
import Texts

struct GeneratedBytesTests {
    private func read(_ body: GeneratedBytes, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: range.count)
        try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: range.lowerBound) }
        return bytes
    }

    @Test func areThoseOfSplitMix64OverACounter() throws {
        // Computed apart, from the published algorithm: key = mix(seed + γ), word i = mix(key + (i + 1)γ).
        let body = try GeneratedBytes(byteCount: 16, seed: 7)
        let expected: [UInt8] = [
            0x45, 0xCE, 0xAB, 0x7E, 0x97, 0xC2, 0xB4, 0xB8,
            0xFE, 0xC8, 0x8E, 0x33, 0xFD, 0x05, 0x53, 0xA6,
        ]
        #expect(try read(body, 0..<16) == expected)
    }

    @Test(arguments: [1, 3, 7, 8, 9, 64, 100])
    func doNotDependOnHowTheyAreRead(window: Int) throws {
        let body = try GeneratedBytes(byteCount: 1001, seed: 3)
        let whole = try read(body, 0..<1001)
        var parts: [UInt8] = []
        for start in stride(from: 0, to: 1001, by: window) {
            parts += try read(body, start..<min(1001, start + window))
        }
        #expect(parts == whole)
    }

    @Test func canBeHadAtTheEndOfTheLargestBody() throws {
        let size = GeneratedBytes.maximumByteCount
        let body = try GeneratedBytes(byteCount: size, seed: 0)
        let tail = try read(body, size - 13..<size)
        #expect(tail.suffix(5) == (try read(body, size - 5..<size))[...])
        #expect(Set(tail).count > 4)
    }

    @Test func differWithTheSeedAndUseEveryValue() throws {
        let size = 1 << 16
        let first = try read(try GeneratedBytes(byteCount: size, seed: 0), 0..<size)
        let second = try read(try GeneratedBytes(byteCount: size, seed: 1), 0..<size)
        let equal = zip(first, second).count { $0 == $1 }
        // Independent bytes agree in one place of 256.
        #expect((size / 256 / 2...size / 256 * 2).contains(equal))
        #expect(Set(first).count == 256)
    }

    @Test(arguments: [-1, GeneratedBytes.maximumByteCount + 1, .max])
    func endAt1TiB(size: Int) {
        #expect(throws: FetchBenchError.self) { try GeneratedBytes(byteCount: size, seed: 0) }
    }
}

struct GeneratedJSONTests {
    private struct Record: Codable, Hashable {
        var id: Int
        var title: String
        var width: Int
        var height: Int
        var ratio: Double
        var tags: [String]
    }

    private func bytes(_ count: Int, seed: UInt64 = 0, from offset: Int = 0, _ length: Int? = nil) throws -> Data {
        let source = try GeneratedJSON(byteCount: count, seed: seed)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length ?? count - offset, alignment: 1)
        defer { buffer.deallocate() }
        try source.read(into: buffer, at: offset)
        return Data(buffer)
    }

    @Test(arguments: [2, 3, 129, 130, 131, 257, 258, 1024, 100_000])
    func isADocumentOfRecordsInEverySize(count: Int) throws {
        let document = try bytes(count)
        #expect(document.count == count)
        let records = try JSONDecoder().decode([Record].self, from: document)
        #expect(records.count == (count - 2) / 128)
        #expect(records.map(\.id) == Array(0..<records.count))
        #expect(records.allSatisfy { $0.title.count == 32 && (1000..<10_000).contains($0.width) && $0.tags.count == 2 })
        #expect(records.allSatisfy { (1000..<10_000).contains($0.height) && (0..<1).contains($0.ratio) })
        #expect(Set(records.map(\.title)).count == records.count)
    }

    @Test func isANumberInTheSizeThatNoArrayHasAndNothingInNone() throws {
        #expect(try bytes(1) == Data("0".utf8))
        #expect(try bytes(0).isEmpty)
    }

    @Test(arguments: [1, 7, 127, 128, 129, 1000])
    func hasPartsThatMakeUpTheWhole(step: Int) throws {
        let whole = try bytes(3001, seed: 5)
        var joined = Data()
        for offset in stride(from: 0, to: 3001, by: step) {
            joined += try bytes(3001, seed: 5, from: offset, min(step, 3001 - offset))
        }
        #expect(joined == whole)
        #expect(try bytes(3001, seed: 6) != whole)
    }

    @Test func isTheSameEverywhere() throws {
        let first = String(decoding: try bytes(130), as: UTF8.self)
        #expect(first.hasPrefix(#"[{"id":          0,"title":""#) && first.hasSuffix("\"]} \n]"))
        let document = try GeneratedJSON(byteCount: 1 << 20, seed: 0)
        #expect(try document.sha256() == Self.sha256)
        #expect(document.path == "/json/1MiB" && GeneratedJSON.mediaType == "application/json")
    }

    /// Of 1 MiB with seed 0, printed by a Python program that follows the same rule.
    private static let sha256 = "92b87b85b92824ac0590252f3b1cd0d868341e4c95b699dbce5e038f1b1f157f"
}

struct GeneratedTextTests {
    private func bytes(_ text: GeneratedText, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: range.count + 16)
        try bytes.withUnsafeMutableBytes {
            try text.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[8..<8 + range.count]), at: range.lowerBound)
        }
        #expect(bytes.prefix(8).allSatisfy { $0 == 0xAA } && bytes.suffix(8).allSatisfy { $0 == 0xAA })
        return Array(bytes[8..<8 + range.count])
    }

    @Test func isLinesOfWordsAndNumbersInASCII() throws {
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

    @Test(arguments: [0, 1, 62, 63, 64, 65, 127, 128, 999, 4095])
    func isTheSameAtEveryOffset(offset: Int) throws {
        let text = try GeneratedText(byteCount: 5000, seed: 3)
        let whole = try bytes(text, 0..<5000)
        for count in [0, 1, 2, 63, 64, 65, 130, 905] {
            let end = min(offset + count, 5000)
            #expect(try bytes(text, offset..<end) == Array(whole[offset..<end]))
        }
    }

    @Test func staysWhatItIsHashesOfItAreKept() throws {
        let text = try GeneratedText(byteCount: 1_000_001, seed: 7)
        #expect(try text.sha256() == "5b7847c330c22e6fe4b48c361cb38abcc9c8e833730bebe8b08758b9185c0aa1")
        #expect(try text.changed.sha256() == GeneratedText(byteCount: 1_000_001, seed: 8).sha256())
        #expect(try text.sha256() != text.changed.sha256())
    }

    @Test func isFarIntoALargeSizeWhereItShouldBe() throws {
        let text = try GeneratedText(byteCount: GeneratedBytes.maximumByteCount, seed: 1)
        let end = GeneratedBytes.maximumByteCount
        #expect(try bytes(text, end - 64..<end).last == UInt8(ascii: "\n"))
        #expect(try bytes(text, end - 64..<end - 32) + bytes(text, end - 32..<end) == bytes(text, end - 64..<end))
    }
}
