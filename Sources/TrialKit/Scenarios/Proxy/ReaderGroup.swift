// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe
import Synchronization

/// An order for the readers: a line of JSON.
package struct ReadersOrder: Codable, Hashable {
    /// The port of the server on 127.0.0.1.
    package var port: Int
    package var requests: Int
    package var readers: Int
    /// The times that the readers add to the requests in turn, in milliseconds; empty for none.
    package var paces: [Int]
    /// True if each request has its own connection.
    package var closes = false
    /// The port of the origin on 127.0.0.1, to query its connections; `nil` if that is impossible.
    package var origin: Int?

    package init(port: Int, requests: Int, readers: Int, paces: [Int]) {
        (self.port, self.requests, self.readers, self.paces) = (port, requests, readers, paces)
    }
}

/// The readers' observations: a line of JSON.
package struct ReadersAnswer: Codable, Hashable {
    package struct Body: Codable, Hashable {
        package var byteCount: Int
        package var sha256: String

        package init(byteCount: Int, sha256: String) {
            (self.byteCount, self.sha256) = (byteCount, sha256)
        }

        fileprivate var words: String { FetchFailure.words(byteCount: byteCount, sha256: sha256) }
    }

    package var requests = 0
    /// The median time from the request to the last byte.
    package var medianNanoseconds = 0
    /// The 99th percentile of that time.
    package var slowestPercentNanoseconds = 0
    package var body: Body?
    /// The first body that differs from the first one.
    package var different: Body?
    /// The largest number of descriptors open in the server's process, sampled 20 times a second.
    package var mostDescriptors = 0
    /// The most kernel memory of this machine's TCP sockets, minus that at the start.
    package var socketByteCount = 0
    /// The connections that the origin had accepted by then; `nil` if it was not queried.
    package var originConnections: Int?
    package var failure: String?

    package init() {}

    /// Returns the body that all of them received, or `nil` for none.
    /// - Throws: ``FetchFailure/Code/wrongBody`` if two differ.
    package func agreedBody() throws(FetchFailure) -> Body? {
        guard let body, let different else { return body }
        throw .unlike(body.words, different.words)
    }
}

/// The readers' process: reads an order per line and writes an answer per line, until the orders end.
struct ReadersProcess {
    func run() throws {
        while let line = readLine(strippingNewline: true) {
            let order = try JSONDecoder().decode(ReadersOrder.self, from: Data(line.utf8))
            let answer = try JSONEncoder().encode(answer(to: order)) + Data("\n".utf8)
            guard SystemCall.writeAll(answer, to: STDOUT_FILENO) else {
                throw FetchFailure(.other, "the report of the readers cannot be sent")
            }
        }
    }

    private func answer(to order: ReadersOrder) -> ReadersAnswer {
        var watch = ServerWatch(process: getppid())
        let group = ReaderGroup(order)
        group.start()
        while !group.hasEnded {
            watch.look()
            usleep(ServerWatch.intervalMicroseconds)
        }
        var answer = group.answer
        answer.mostDescriptors = watch.mostDescriptors
        answer.socketByteCount = watch.socketByteCount
        answer.originConnections = order.origin.flatMap { try? OriginCount.now(at: $0).connectionsAccepted }
        return answer
    }

    /// Reads the measured process from outside, at no cost to it.
    struct ServerWatch {
        static let intervalMicroseconds: UInt32 = 50_000

        private let folder: String
        private let socketsBefore: Int?

        private(set) var mostDescriptors = 0
        /// The most kernel memory of TCP sockets, minus that at the start.
        private(set) var socketByteCount = 0

        init(process: pid_t) {
            folder = "/proc/\(process)/fd"
            socketsBefore = try? SocketMemory.read().tcp.rawValue
        }

        /// Reads once; what cannot be read is skipped.
        mutating func look() {
            mostDescriptors = max(mostDescriptors, Self.entries(of: folder) ?? 0)
            guard let socketsBefore, let now = try? SocketMemory.read().tcp.rawValue else { return }
            socketByteCount = max(socketByteCount, now - socketsBefore)
        }

        private static func entries(of folder: String) -> Int? {
            guard var stream = FolderStream(folder) else { return nil }
            var count = 0
            while stream.next() != nil { count += 1 }
            // The entries `.` and `..` are not descriptors.
            return count - 2
        }
    }
}

/// Concurrent readers with a thread each, until all requests are made or one fails.
package final class ReaderGroup: Sendable {
    private struct State {
        var begun = 0
        var running = 0
        var nanoseconds: [Int] = []
        var answer = ReadersAnswer()
    }

    private let order: ReadersOrder
    private let state: Mutex<State>

    package init(_ order: ReadersOrder) {
        self.order = order
        var state = State()
        state.nanoseconds.reserveCapacity(order.requests)
        self.state = Mutex(state)
    }

    package func start() {
        state.withLock { $0.running = order.readers }
        for _ in 0..<order.readers {
            do throws(FetchFailure) {
                try DetachedThread.run { [self] in read() }
            } catch {
                end(error.detail)
            }
        }
    }

    package var hasEnded: Bool { state.withLock { $0.running == 0 } }

    package var answer: ReadersAnswer {
        state.withLock { state in
            var answer = state.answer
            let sorted = state.nanoseconds.sorted()
            answer.requests = sorted.count
            answer.medianNanoseconds = Self.quantile(0.5, of: sorted)
            answer.slowestPercentNanoseconds = Self.quantile(0.99, of: sorted)
            return answer
        }
    }

    /// Returns the smallest value that is at least as large as this share of the values; 0 for none.
    package static func quantile(_ part: Double, of sorted: [Int]) -> Int {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1))]
    }

    private func read() {
        do throws(FetchFailure) {
            var client: ReaderClient?
            while let number = next() {
                let start = MonotonicClock.now()
                let open = if let client { client } else { try ReaderClient(port: order.port) }
                let pace = order.paces.isEmpty ? 0 : order.paces[number % order.paces.count]
                let (body, isOpen) = try open.body(milliseconds: pace, closes: order.closes)
                note(body, MonotonicClock.now() - start)
                client = isOpen ? open : nil
            }
            end(nil)
        } catch {
            end(error.detail)
        }
    }

    /// Returns the number of the next request; `nil` if there is none, or after a failure.
    private func next() -> Int? {
        state.withLock { state in
            guard state.begun < order.requests, state.answer.failure == nil else { return nil }
            defer { state.begun += 1 }
            return state.begun
        }
    }

    private func note(_ body: ReadersAnswer.Body, _ nanoseconds: Int) {
        state.withLock { state in
            state.nanoseconds.append(nanoseconds)
            state.answer.body = state.answer.body ?? body
            if state.answer.body != body, state.answer.different == nil { state.answer.different = body }
        }
    }

    private func end(_ failure: String?) {
        state.withLock { state in
            state.answer.failure = state.answer.failure ?? failure
            state.running -= 1
        }
    }
}

/// The embedded origin's own counts, in addition to those of a client.
package struct OriginCount: Codable, Hashable {
    /// The accepted connections, without those that only requested this.
    package let connectionsAccepted: Int
    /// The bytes of bodies that the kernel has taken.
    package let byteCountSent: Int

    private enum CodingKeys: String, CodingKey {
        case connectionsAccepted = "connections_accepted"
        case byteCountSent = "bytes_sent"
    }

    /// Requests the counts of the origin on a port of 127.0.0.1.
    package static func now(at port: Int) throws -> OriginCount {
        try JSONDecoder().decode(OriginCount.self, from: Data(try ReaderClient(port: port).document(at: "/stats")))
    }
}
