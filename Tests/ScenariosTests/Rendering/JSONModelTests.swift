// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import TestSupport
import Testing
import TrialKit

/// The render model `json`: what it decodes, what it keeps, and what it says of everything else.
struct JSONModelTests {
    private func document(of byteCount: Int) throws -> (bytes: [UInt8], records: Int) {
        let body = try GeneratedJSON(byteCount: byteCount, seed: 1)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return (bytes, body.recordCount)
    }

    private func renderer() throws -> any Renderer {
        let renderer = try JSONModel().makeRenderer(RenderSettings())
        try renderer.warmUp()
        return renderer
    }

    @Test(arguments: [2, 129, 130, 1024, 100_001])
    func everyRecordIsDecodedFromMemoryAndFromAFile(byteCount: Int) throws {
        let (bytes, records) = try document(of: byteCount)
        let memory = try renderer().render(FetchedBody(content: .memory(bytes), byteCount: bytes.count))
        #expect(memory.recordCount == records)
        #expect(memory.decodedWidth == nil && memory.bitmapByteCount == 0, "no picture")
        let path = FileManager.default.temporaryDirectory.path + "/records-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try renderer().render(FetchedBody(content: .file(path: path), byteCount: bytes.count))
        #expect(file.recordCount == records)
    }

    /// Bytes that tell whether somebody still holds them.
    private final class HeldBytes: ContiguousBytes, Sendable {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
    }

    @Test func theBodyIsDroppedAndTheRecordsAreKept() throws {
        let (bytes, records) = try document(of: 4096)
        var held: HeldBytes? = HeldBytes(bytes)
        weak let watched = held
        let image = try renderer().render(
            FetchedBody(content: .memory(try #require(held)), byteCount: bytes.count))
        held = nil
        #expect(watched == nil)
        #expect(image.recordCount == records)
    }

    @Test(arguments: [
        ("", "not JSON"), ("0", "a value is not a Array"), ("no document", "not JSON"),
        (#"[{"id":1}]"#, "a record has no 'title'"), (#"[{"id":"1"}]"#, "a value is not a Int"), ("[1", "not JSON"),
    ])
    func whatCannotBeDecodedIsAFailureWithItsReason(text: String, words: String) throws {
        let body = FetchedBody(content: .memory(Array(text.utf8)), byteCount: text.utf8.count)
        let failure = #expect(throws: RenderFailure.self) { try renderer().render(body) }
        #expect(failure?.code == .notRecords)
        #expect(failure?.detail.hasPrefix("the body cannot be decoded: " + words) == true)
    }

    @Test func aBodyThatIsNowhereIsAFailure() throws {
        let nothing = #expect(throws: RenderFailure.self) { try renderer().render(.nothing) }
        #expect(nothing?.code == .notRecords)
        let absent = FetchedBody(content: .file(path: "/nowhere/secret"), byteCount: 1)
        let failure = #expect(throws: RenderFailure.self) { try renderer().render(absent) }
        #expect(failure?.code == .system && failure?.detail.contains("secret") == false)
    }

    @Test func aProgramsOwnModelReplacesIt() {
        struct Own: RenderModel {
            let name = "json"
            let summary = "its own"
            let needsBody = true

            func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
                throw RenderFailure(.system, "only a description")
            }
        }
        #expect(TrialProgram.renderModels(with: []).map(\.name) == ["none", "json"])
        #expect(TrialProgram.renderModels(with: [Own()]).map(\.summary).contains("its own"))
        #expect(TrialProgram.renderModels(with: [Own()]).map(\.name) == ["none", "json"])
        #expect(JSONModel().need == .json && Own().need == .image)
    }
}
