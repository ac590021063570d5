// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FetchBenchKit
import FetchModes
import Foundation
import Synchronization
import Testing

/// What a consumer that stands still holds up: the queue, the socket, and at last the origin.
@Suite(.timeLimit(.minutes(1)))
struct BackPressureTests {
    private static let piece = [UInt8](repeating: 7, count: 65_536)
    /// 96 MiB: more than the kernel's buffers of both sides hold, so that an origin that is held up shows it.
    private static let pieceCount = 1536
    private static let byteCount = piece.count * pieceCount

    private static let script: LoopbackServer.Script = { _ in
        var response = LoopbackServer.Response("200 OK", ["Content-Length: \(byteCount)"])
        response.pieces += [[UInt8]](repeating: piece, count: pieceCount)
        return response
    }

    /// How much the origin got rid of while the consumer stood still, and whether the body was whole in the end.
    private func sentWhileClosed(
        _ gate: Gate, fetchingWith mode: any FetchMode, quietLooks: Int
    ) async throws -> (byteCount: Int, isWhole: Bool) {
        try await withServer(Self.script) { server, folder in
            let log = Log()
            // Not in a task: a full queue holds up whatever starts a task of URLSession, and so the threads of tasks.
            Thread.detachNewThread {
                let count = Self.settledByteCount(of: server, quietLooks: quietLooks)
                log.numbers.withLock { $0 = [count] }
                gate.open()
            }
            let body = try await ModeUnderTest(mode: mode).fetch(try server.url(), to: folder)
            let size = try FileManager.default.attributesOfItem(atPath: folder + "/body")[.size] as? Int
            return (log.numbers.withLock { $0 }.first ?? 0, body.byteCount == Self.byteCount && size == Self.byteCount)
        }
    }

    /// Waits until the origin has sent the whole body, or has begun and then sent nothing for a while.
    private static func settledByteCount(of server: LoopbackServer, quietLooks: Int) -> Int {
        var (last, quiet) = (0, 0)
        while quiet < quietLooks, last <= byteCount {
            Thread.sleep(forTimeInterval: 0.05)
            let now = server.sentByteCount
            quiet = now == last && now > 0 ? quiet + 1 : 0
            last = now
        }
        return last
    }

    @Test func aBoundedStreamHoldsTheOriginUp() async throws {
        let gate = Gate()
        let mode = StreamBoundedMode { gate.pass() }
        let (sent, isWhole) = try await sentWhileClosed(gate, fetchingWith: mode, quietLooks: 20)
        #expect(sent < Self.byteCount / 2)
        #expect(isWhole)
    }

    @Test(arguments: ["ahc-stream", "nio-stream", "curl-stream"])
    func aStreamWhoseLibraryWaitsForItsConsumerHoldsTheOriginUp(name: String) async throws {
        let gate = Gate()
        let modes: [any FetchMode] = [
            AHCStreamMode { await gate.wait() }, NIOStreamMode { await gate.wait() }, CurlStreamMode { gate.pass() },
        ]
        let mode = try #require(modes.first { $0.name == name })
        let (sent, isWhole) = try await sentWhileClosed(gate, fetchingWith: mode, quietLooks: 20)
        #expect(sent < Self.byteCount / 2)
        #expect(isWhole)
    }

    @Test func anUnboundedStreamTakesTheWholeBody() async throws {
        let gate = Gate()
        let mode = StreamMode { gate.pass() }
        // It sends everything; on a busy machine with pauses, which are no end.
        let (sent, isWhole) = try await sentWhileClosed(gate, fetchingWith: mode, quietLooks: 500)
        #expect(sent > Self.byteCount)
        #expect(isWhole)
    }

    @Test(arguments: [1, 3, 8])
    func aBoundedQueueHoldsSoManyOperationsAndNoMore(capacity: Int) async throws {
        let gate = Gate()
        let queue = BoundedQueue(capacity: capacity)
        let (added, done) = (Log(), Log())
        let total = capacity + 5
        Thread.detachNewThread {
            for number in 0..<total {
                queue.addOperation {
                    gate.pass()
                    done.numbers.withLock { $0.append(number) }
                }
                added.numbers.withLock { $0.append(number) }
            }
        }
        while added.numbers.withLock({ $0.count }) < capacity { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(added.numbers.withLock { $0.count } == capacity)
        #expect(queue.operationCount == capacity)
        gate.open()
        while done.numbers.withLock({ $0.count }) < total { try await Task.sleep(for: .milliseconds(5)) }
        #expect(done.numbers.withLock { $0 } == Array(0..<total))
    }
}

/// Stops everything that passes, until it is opened.
private final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let opened = DispatchSemaphore(value: 0)

    func pass() {
        guard !isOpen.withLock({ $0 }) else { return }
        opened.wait()
        opened.signal()
    }

    /// The same for a task, which must not hold a thread meanwhile.
    func wait() async {
        while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    func open() {
        isOpen.withLock { $0 = true }
        opened.signal()
    }
}

/// Numbers that one thread leaves for another.
private final class Log: Sendable {
    let numbers = Mutex<[Int]>([])
}
