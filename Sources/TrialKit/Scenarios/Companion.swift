// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A second process of the same program that plays the outer part of a scenario and is not measured.
///
/// It exchanges lines of text, and ends with its input or with this process.
public final class Companion: Sendable {
    /// The first argument of such a process, before the name of the scenario.
    static let argument = "--accompany"

    private struct State {
        /// Lines that nobody has waited for.
        var lines: [String] = []
        /// Those who wait for a line, in the order in which they asked.
        var waiters: [CheckedContinuation<String?, Never>] = []
        var hasEnded = false
        /// The way it ended, or the reason why it did not start.
        var ending: FetchFailure?
    }

    private let state = Mutex(State())
    /// Held while a question is sent, so that answers come in the order of those who wait.
    private let asking = Mutex(())
    private let line: OwnProgram

    /// Starts the process.
    /// - Parameter scenario: The scenario whose outer part it plays.
    /// - Throws: ``FetchFailure`` if no process or thread can be created.
    public init(of scenario: any AccompaniedScenario) throws(FetchFailure) {
        line = try OwnProgram()
        // The kernel ends a child with the thread that started it: this one lives as long as the child.
        try DetachedThread.run { [self, name = scenario.name] in run(["companion", Self.argument, name]) }
    }

    /// Sends a line and returns the line that it responds with; several tasks may ask at once.
    /// - Parameter text: The line, without its end.
    /// - Throws: ``FetchFailure`` if the process has ended or could not be started; standard error may say why.
    public func ask(_ text: String) async throws(FetchFailure) -> String {
        if let answer = await next(asking: text) { return answer }
        while await next() != nil {}
        throw state.withLock { $0.ending } ?? FetchFailure(.other, "the scenario's second process has ended")
    }

    /// Ends the process and waits for its end.
    public func finish() async {
        line.endInput()
        while await next() != nil {}
    }

    /// Returns the next line, after sending one if there is something to ask; `nil` at the end of the process.
    private func next(asking text: String? = nil) async -> String? {
        await withCheckedContinuation { continuation in
            asking.withLock { _ in
                let answer: String?? = state.withLock { state in
                    if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
                    if state.hasEnded { return .some(nil) }
                    state.waiters.append(continuation)
                    return nil
                }
                // If it cannot be sent, the process is about to end, which ends the wait.
                if let text { _ = line.send(text + "\n") }
                if let answer { continuation.resume(returning: answer) }
            }
        }
    }

    /// Starts the process and reads its lines until it ends.
    private func run(_ arguments: [String]) {
        let ending = ending(of: arguments)
        let waiters = state.withLock { state in
            state.hasEnded = true
            state.ending = ending
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    private func ending(of arguments: [String]) -> FetchFailure {
        do throws(FetchFailure) {
            let process = try line.start(arguments)
            line.readLines(deliver)
            return FetchFailure(.other, "the scenario's second process has ended \(OwnProgram.ending(of: process))")
        } catch {
            return error
        }
    }

    private func deliver(_ line: String) {
        let waiter = state.withLock { state in
            if state.waiters.isEmpty { state.lines.append(line) }
            return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
        }
        waiter?.resume(returning: line)
    }
}

/// The embedded origin's log of its last 20,000 requests.
package struct OriginLog: Sendable {
    package struct Record: Codable, Hashable, Sendable {
        package var query: [String: String]
        /// The header fields, with lower-case names.
        package var headers: [String: String]
        /// The time at which its head was read, on the monotonic clock.
        package var beganNanoseconds: Int
        /// The bytes of the body that the kernel has taken.
        package var byteCount: Int

        package init(
            query: [String: String], headers: [String: String] = [:], beganNanoseconds: Int, byteCount: Int
        ) {
            (self.query, self.headers) = (query, headers)
            (self.beganNanoseconds, self.byteCount) = (beganNanoseconds, byteCount)
        }

        private enum CodingKeys: String, CodingKey {
            case query, headers
            case beganNanoseconds = "began_nanoseconds"
            case byteCount = "bytes_sent"
        }
    }

    package let records: [Record]

    /// Requests the log of one path from the origin on a port of 127.0.0.1.
    package init(port: Int, path: String) throws {
        records = try OriginDocument.decoded("/requests?path=\(path)", at: port)
    }
}

/// The embedded origin's own counts, in addition to those of a client.
package struct OriginCount: Codable, Hashable {
    /// The bytes of bodies that the kernel has taken.
    package let byteCountSent: Int

    private enum CodingKeys: String, CodingKey {
        case byteCountSent = "bytes_sent"
    }

    /// Requests the counts of the origin on a port of 127.0.0.1.
    package static func now(at port: Int) throws -> OriginCount { try OriginDocument.decoded("/stats", at: port) }
}

private enum OriginDocument {
    static func decoded<Value: Decodable>(_ path: String, at port: Int) throws -> Value {
        let socket = try TCPSocket(host: "127.0.0.1", port: port, idleTimeoutSeconds: 0)
        try socket.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: 16 * 1024))
        let head = try reader.readHead()
        guard head.status == 200 else {
            throw FetchFailure(.httpStatus, "the origin answered with status \(head.status)")
        }
        var bytes: [UInt8] = []
        _ = try reader.readBody(framedBy: head.framing()) { piece throws(FetchFailure) in bytes += piece }
        return try JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}
