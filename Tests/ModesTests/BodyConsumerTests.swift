// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// Bodies that are handed to who consumes them, in the modes that say they can.
@Suite(.timeLimit(.minutes(5)))
struct BodyConsumerTests {
    /// Keeps what it is handed, to compare it.
    private final class Collector: BodyConsumer {
        private let state = Mutex(Collected())

        private struct Collected {
            var bytes: [UInt8] = []
            var pieces = 0
        }

        func take(_ bytes: UnsafeRawBufferPointer) {
            state.withLock {
                $0.bytes += bytes
                $0.pieces += 1
            }
        }

        var bytes: [UInt8] { state.withLock { $0.bytes } }
        var pieces: Int { state.withLock { $0.pieces } }
    }

    @Test func theStreamsHandOutPieces() {
        let names = ModeUnderTest.able(to: .pieces).map(\.mode.name)
        #expect(names.sorted() == ["ahc-stream", "curl-stream", "nio-stream", "raw", "stream", "stream-bounded"])
        #expect(ModeUnderTest.able(to: .pieces).allSatisfy { $0.mode.hashesOnTheWay }, "nobody can hash it afterwards")
    }

    @Test(arguments: ModeUnderTest.able(to: .pieces))
    func theBodyGoesToItsConsumerAndIntoNoFile(test: ModeUnderTest) async throws {
        let script: LoopbackServer.Script = { _ in
            var response = LoopbackServer.Response("200 OK", ["Content-Length: \(TestBody.bytes.count)"])
            response.pieces += [TestBody.bytes]
            return response
        }
        try await withServer(script) { server, folder in
            let collector = Collector()
            var request = FetchRequest(url: try server.url(), destination: folder + "/body")
            request.consumer = collector
            let asked = request
            let body = try #require(
                try await test.mode.withFetcher(.test { _ in }) { try await $0.fetch([asked]) }.first)
            #expect(collector.bytes == TestBody.bytes)
            #expect(collector.pieces > 1)
            #expect(body.byteCount == TestBody.bytes.count)
            #expect(body.sha256 == TestBody.sha256)
            guard case .consumed(let consumer) = body.content else {
                Issue.record("the body says that it is somewhere else")
                return
            }
            #expect(consumer === collector)
            #expect(!FileManager.default.fileExists(atPath: folder + "/body"))
        }
    }
}
