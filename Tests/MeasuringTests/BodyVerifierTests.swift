// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing
import TrialKit

struct BodyVerifierTests {
    /// Over three of the verifier's buffers, and not a multiple of one.
    private static let bytes = (0..<200_003).map { UInt8($0 % 251) }

    /// Printed by `python3 -c 'import sys; sys.stdout.buffer.write(bytes(i % 251 for i in range(200003)))' | sha256sum`.
    private static let sha256 = "49cbf04ab31e40bccff20650404805fc4a1f508e56d891f406ec592a2176d2e4"

    private func body(_ content: FetchedBody.Content, sha256: String? = nil) -> FetchedBody {
        FetchedBody(
            content: content, byteCount: Self.bytes.count, sha256: sha256,
            verificationCPUNanoseconds: sha256 == nil ? 0 : 77)
    }

    @Test func aBodyInMemoryIsHashedAndHasNoPageCache() throws {
        let reading = try #require(try BodyVerifier().reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        #expect(reading.sha256 == Self.sha256)
        #expect(reading.byteCount == ByteCount(200_003))
        #expect(reading.pageCache == nil)
        #expect(reading.verificationCPUNanoseconds > 0)
    }

    @Test func aBodyInAFileHasTheSameHash() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/body"
            try Data(Self.bytes).write(to: URL(fileURLWithPath: path))
            let reading = try #require(try BodyVerifier().reading(of: body(.file(path: path)), by: .sha256))
            #expect(reading.sha256 == Self.sha256)
            #expect(reading.verificationCPUNanoseconds > 0)
            #expect(reading.pageCache == (try? PageCache.residentBytes(ofFile: path)))
        }
    }

    @Test func oneVerifierHashesManyBodies() throws {
        let verifier = BodyVerifier()
        let first = try #require(try verifier.reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        let second = try #require(try verifier.reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        #expect(first.sha256 == second.sha256)
    }

    @Test func nothingIsHashedTwice() throws {
        let reading = try #require(
            try BodyVerifier().reading(of: body(.memory(Data()), sha256: "from the mode"), by: .sha256))
        #expect(reading.sha256 == "from the mode")
        #expect(reading.verificationCPUNanoseconds == 77)
    }

    @Test func theLengthAloneNeedsNoHash() throws {
        let reading = try #require(try BodyVerifier().reading(of: body(.memory(Data(Self.bytes))), by: .length))
        #expect(reading.sha256 == nil)
        #expect(reading.verificationCPUNanoseconds == 0)
        #expect(reading.byteCount == ByteCount(200_003))
    }

    @Test func nothingFetchedHasNothingToVerify() throws {
        #expect(try BodyVerifier().reading(of: .nothing, by: .sha256) == nil)
    }

    @Test func aFileThatIsGoneIsAFailureWithoutItsPath() throws {
        try withTemporaryFolder { folder in
            let failure = try #require(throws: FetchFailure.self) {
                try BodyVerifier().reading(of: body(.file(path: folder + "/gone")), by: .sha256)
            }
            #expect(failure.code == .file)
            #expect(!failure.detail.contains(folder))
        }
    }
}
