// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing
import TrialKit
import URLSessionModes

/// A slow consumer delays the queue, the socket, and finally the origin.
///
/// One after another: while a bounded queue is full, every session of the process waits.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BackPressureTests {
    private static let piece = [UInt8](repeating: 7, count: 65_536)
    /// 64 MiB: more than the kernel's buffers of both sides hold, so that an origin that is held up shows it.
    private static let pieceCount = 1024
    private static let byteCount = piece.count * pieceCount

    private static let script: LoopbackServer.Script = { _ in
        var response = LoopbackServer.Response("200 OK", ["Content-Length: \(byteCount)"])
        response.pieces += [[UInt8]](repeating: piece, count: pieceCount)
        return response
    }

    /// The most that the origin had got rid of and the consumer not yet written to its file, in bytes.
    private func largestBacklog(ofMode name: String, delay: Duration) async throws -> Int {
        let mode = try ModeUnderTest.named(name)
        return try await withServer(Self.script) { server, folder in
            let backlog = Log()
            let isDone = Log()
            let path = folder + "/body"
            // Not in a task: a full queue holds up whatever starts a task of URLSession, and so the threads of tasks.
            Thread.detachNewThread {
                while isDone.numbers.withLock({ $0.isEmpty }) {
                    let sent = server.sentByteCount
                    let waiting = sent - Self.size(of: path)
                    backlog.numbers.withLock { $0 = [max($0.first ?? 0, waiting)] }
                    Thread.sleep(forTimeInterval: 0.01)
                }
            }
            defer { isDone.numbers.withLock { $0 = [1] } }
            let settings = FetchSettings.test {
                $0.verification = .length
                $0.consumerDelayNanoseconds = Int(delay / .nanoseconds(1))
            }
            let body = try await mode.withFetcher(settings) { fetcher in
                try await fetcher.fetch(FetchRequest(url: try server.url(), destination: path))
            }
            #expect(body.byteCount == Self.byteCount)
            #expect(Self.size(of: path) == Self.byteCount)
            return backlog.numbers.withLock { $0.first ?? 0 }
        }
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    @Test(arguments: ["stream-bounded", "ahc-stream", "nio-stream", "curl-stream", "raw"])
    func waitingForTheConsumerDelaysTheOrigin(name: String) async throws {
        #expect(try await largestBacklog(ofMode: name, delay: .microseconds(100)) < Self.byteCount / 2)
    }

    /// The delay comes once for each of 4096 chunks: slower than any machine's loopback.
    @Test func anUnboundedStreamTakesTheWholeBody() async throws {
        #expect(try await largestBacklog(ofMode: "stream", delay: .milliseconds(1)) > Self.byteCount / 2)
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

/// Stops every thread that passes, until it is opened.
private final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let opened = DispatchSemaphore(value: 0)

    func pass() {
        guard !isOpen.withLock({ $0 }) else { return }
        opened.wait()
        opened.signal()
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

@Suite(.timeLimit(.minutes(5)))
struct ConsumerDelayTests {
    private static func time(of nanoseconds: Int) -> Duration {
        let delay = ConsumerDelay(.test { $0.consumerDelayNanoseconds = nanoseconds })
        return ContinuousClock().measure { delay.wait() }
    }

    @Test(arguments: [1_000_000, 50_000_000, 1_000_000_001])
    func aDelayLastsAsLongAsItSays(nanoseconds: Int) {
        #expect(Self.time(of: nanoseconds) >= .nanoseconds(nanoseconds))
    }

    /// The sampler's clock interrupts whatever thread it finds.
    @Test func aSignalDoesNotCutADelayShort() async {
        let interrupted = Mutex<Duration?>(nil)
        // A handler that does nothing is enough for a sleep to be interrupted; without it the signal is ignored.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        var previous = sigaction()
        sigaction(SIGURG, &action, &previous)
        defer { sigaction(SIGURG, &previous, nil) }
        await withCheckedContinuation { continuation in
            let sleeper = Mutex<pthread_t?>(nil)
            Thread.detachNewThread {
                sleeper.withLock { $0 = pthread_self() }
                let time = Self.time(of: 400_000_000)
                // Not after this thread has ended: its number would be another's.
                sleeper.withLock { $0 = nil }
                interrupted.withLock { $0 = time }
                continuation.resume()
            }
            Thread.detachNewThread {
                for _ in 0..<20 {
                    Thread.sleep(forTimeInterval: 0.01)
                    sleeper.withLock { thread in
                        if let thread { pthread_kill(thread, SIGURG) }
                    }
                }
            }
        }
        #expect(interrupted.withLock { $0 ?? .zero } >= .milliseconds(400))
    }
}
