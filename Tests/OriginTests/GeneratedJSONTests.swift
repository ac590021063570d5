// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Testing

@Suite("Generated JSON")
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

    @Test("is a document of records in every size", arguments: [2, 3, 129, 130, 131, 257, 258, 1024, 100_000])
    func valid(count: Int) throws {
        let document = try bytes(count)
        #expect(document.count == count)
        let records = try JSONDecoder().decode([Record].self, from: document)
        #expect(records.count == (count - 2) / 128)
        #expect(records.map(\.id) == Array(0..<records.count))
        #expect(records.allSatisfy { $0.title.count == 32 && (1000..<10_000).contains($0.width) && $0.tags.count == 2 })
        #expect(records.allSatisfy { (1000..<10_000).contains($0.height) && (0..<1).contains($0.ratio) })
        #expect(Set(records.map(\.title)).count == records.count)
    }

    @Test("is a number in the size that no array has, and nothing in none")
    func small() throws {
        #expect(try bytes(1) == Data("0".utf8))
        #expect(try bytes(0).isEmpty)
    }

    @Test("has parts that make up the whole", arguments: [1, 7, 127, 128, 129, 1000])
    func parts(step: Int) throws {
        let whole = try bytes(3001, seed: 5)
        var joined = Data()
        for offset in stride(from: 0, to: 3001, by: step) {
            joined += try bytes(3001, seed: 5, from: offset, min(step, 3001 - offset))
        }
        #expect(joined == whole)
        #expect(try bytes(3001, seed: 6) != whole)
    }

    @Test("is the same everywhere")
    func golden() throws {
        let first = String(decoding: try bytes(130), as: UTF8.self)
        #expect(first.hasPrefix(#"[{"id":          0,"title":""#) && first.hasSuffix("\"]} \n]"))
        let document = try GeneratedJSON(byteCount: 1 << 20, seed: 0)
        #expect(try document.sha256() == Self.sha256)
        #expect(document.path == "/json/1MiB" && GeneratedJSON.mediaType == "application/json")
    }

    /// Of 1 MiB with seed 0, printed by a Python program that follows the same rule.
    private static let sha256 = "92b87b85b92824ac0590252f3b1cd0d868341e4c95b699dbce5e038f1b1f157f"
}
