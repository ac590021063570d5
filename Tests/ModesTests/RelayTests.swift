// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TrialKit

/// Every mode passes on what it fetches, byte for byte; a sink without room holds up those that say so.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RelayTests {
    private static let passing = ModeUnderTest.able(to: .concurrency).filter(\.mode.yieldsBody)

    private func relay(
        _ mode: any FetchMode, _ url: URL, to sink: TightSink, in folder: String
    ) async throws {
        Leftovers.removeAtExit()
        let relay = try mode.makeRelay(.test())
        do {
            try await relay.relay(FetchRequest(url: url, destination: folder + "/relayed"), to: sink)
            await relay.invalidate()
        } catch {
            await relay.invalidate()
            throw error
        }
    }

    @Test(arguments: passing)
    func everyByteIsPassedOn(_ tested: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.whole) { server, folder in
            let sink = TightSink(pieceSize: 7001)
            try await relay(tested.mode, try server.url(), to: sink, in: folder)
            #expect(sink.announced == [TestBody.bytes.count])
            #expect(sink.bytes == TestBody.bytes)
            #expect(!FileManager.default.fileExists(atPath: folder + "/relayed"), "nothing stays behind")
        }
    }

    @Test(arguments: passing)
    func failedBodiesAreNotPassedOn(_ tested: ModeUnderTest) async throws {
        try await withServer(answering: LoopbackServer.Response("404 Not Found", body: Array("no".utf8))) {
            server, folder in
            let sink = TightSink(pieceSize: 7001)
            let failure = await #expect(throws: FetchFailure.self) {
                try await relay(tested.mode, try server.url(), to: sink, in: folder)
            }
            #expect(failure?.code == .httpStatus)
            #expect(sink.announced.isEmpty && sink.bytes.isEmpty)
        }
    }

    @Test(arguments: passing)
    func aBodyThatIsCutFails(_ tested: ModeUnderTest) async throws {
        try await withServer(answering: TestBody.cut) { server, folder in
            let sink = TightSink(pieceSize: 7001)
            await #expect(throws: FetchFailure.self) {
                try await relay(tested.mode, try server.url(), to: sink, in: folder)
            }
            #expect(sink.bytes.count <= TestBody.unfinished.count)
        }
    }

    /// 64 MiB: more than the kernel's buffers of both sides hold.
    @Test(arguments: [("ahc-stream", true), ("nio-stream", true), ("stream-bounded", true), ("stream", false)])
    func aSinkWithoutRoomHoldsTheOriginUp(name: String, holds: Bool) async throws {
        let piece = [UInt8](repeating: 7, count: 65_536)
        let mode = try ModeUnderTest.named(name)
        let script: LoopbackServer.Script = { _ in
            var response = LoopbackServer.Response("200 OK", ["Content-Length: \(64 << 20)"])
            response.pieces += [[UInt8]](repeating: piece, count: 1024)
            return response
        }
        try await withServer(script) { server, folder in
            let sink = TightSink(pieceSize: 1 << 20, isOpen: false)
            async let relayed: Void = relay(mode, try server.url(), to: sink, in: folder)
            // Until the origin stands still, or is rid of everything.
            var (sent, still) = (-1, 0)
            while still < 20 {
                try await Task.sleep(for: .milliseconds(25))
                still = server.sentByteCount == sent && sent > 0 ? still + 1 : 0
                sent = server.sentByteCount
            }
            #expect((sent < 32 << 20) == holds, "\(sent) bytes were sent")
            sink.open()
            try await relayed
            #expect(sink.bytes.count == 64 << 20)
        }
    }
}

/// Takes so many bytes at a time, then none until it was waited for.
private final class TightSink: BodySink {
    private struct State {
        var bytes: [UInt8] = []
        var announced: [Int?] = []
        var room: Int
        var isOpen: Bool
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let pieceSize: Int
    private let state: Mutex<State>

    /// - Parameter isOpen: whether there is room again as soon as it is waited for; otherwise once it is opened.
    init(pieceSize: Int, isOpen: Bool = true) {
        self.pieceSize = pieceSize
        state = Mutex(State(room: isOpen ? pieceSize : 0, isOpen: isOpen))
    }

    var bytes: [UInt8] { state.withLock(\.bytes) }
    var announced: [Int?] { state.withLock(\.announced) }

    func begin(byteCount: Int?) async { state.withLock { $0.announced.append(byteCount) } }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(state.room, bytes.count)
            state.bytes += bytes[..<count]
            state.room -= count
            return count
        }
    }

    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isOpen { state.room = pieceSize } else { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// From now on there is room.
    func open() {
        let waiter = state.withLock { state in
            (state.isOpen, state.room) = (true, pieceSize)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
