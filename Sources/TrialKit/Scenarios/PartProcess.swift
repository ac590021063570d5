// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import FoundationEssentials
import Glibc
import MemProbe
import Synchronization

/// A process of the same trial program that plays a part of a scenario and is to be killed.
///
/// The kernel also kills it when the thread that started it ends, which its owner must therefore not leave.
package final class PartProcess {
    package let identifier: Int32
    private let answer: PartAnswer
    private var hasEnded = false

    package init(_ request: TrialRequest) throws(FetchFailure) {
        let line = try OwnProgram()
        answer = try PartAnswer(in: request.directory)
        identifier = try line.start([CommandLine.arguments.first ?? ""], output: answer.descriptor)
        guard let document = try? JSONEncoder().encode(request), line.send(document: document) else {
            kill()
            throw FetchFailure(.other, "the instructions for the process could not be sent")
        }
    }

    deinit { kill() }

    /// Waits for a condition, polling ten times a millisecond.
    /// - Throws: ``FetchFailure`` if the process ends first, with its own reason, or the time is up.
    package func wait(atMost seconds: Int, until isTrue: () throws -> Bool) throws {
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000)
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() {
            guard .now < end else {
                throw FetchFailure(.idleTimeout, "the first process did not get there within \(seconds) s")
            }
            try look(WNOHANG)
            nanosleep(&pause, nil)
        }
    }

    /// Stops the process as abruptly as a kill: it reads nothing that arrives afterwards.
    /// - Throws: ``FetchFailure`` if it has ended first.
    package func freeze() throws(FetchFailure) {
        Glibc.kill(identifier, SIGSTOP)
        try look(WUNTRACED)
    }

    /// Kills the process and reaps it.
    package func kill() {
        guard !hasEnded else { return }
        hasEnded = true
        Glibc.kill(identifier, SIGKILL)
        _ = SystemCall.retried { waitpid(identifier, nil, 0) }
    }

    private func look(_ options: Int32) throws(FetchFailure) {
        var status: Int32 = 0
        let found = SystemCall.retried { waitpid(identifier, &status, options) }
        // 0x7f: stopped.
        guard found == identifier, status & 0xff != 0x7f else { return }
        hasEnded = true
        throw FetchFailure(
            .other, "the first process has ended \(OwnProgram.words(ofStatus: status))\(answer.reason)")
    }

    /// The file for a process's report, which has no name.
    private final class PartAnswer {
        /// A report has a few kilobytes.
        private static let longest = 1 << 20

        let descriptor: Int32

        init(in directory: String) throws(FetchFailure) {
            let path = directory + "/part.answer"
            descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FetchFailure(errno: errno, "another process's answer has no place") }
            unlink(path)
        }

        deinit { close(descriptor) }

        /// The failure in its report, as the end of a sentence; empty if there is none.
        var reason: String {
            var bytes = [UInt8](repeating: 0, count: Self.longest)
            let count = pread(descriptor, &bytes, bytes.count, 0)
            guard count > 0, let report = try? JSONDecoder().decode(TrialReport.self, from: Data(bytes[..<count])),
                let failure = report.failure
            else { return "" }
            return ": \(failure.phase.rawValue): \(failure.code): \(failure.detail)"
        }
    }
}

/// A second process of this program, and a pair of sockets: one end is its input and output, the other one is this
/// process's.
///
/// Not a pair of pipes: the second process would inherit both ends of one, and its input would never end.
package final class OwnProgram: Sendable {
    private static let pieceSize = 4096

    package static let success = words(ofStatus: 0)

    private let own: Int32
    private let other: Atomic<Int32>

    package init() throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "could not open a connection to a second process")
        }
        own = ends[0]
        other = Atomic(ends[1])
    }

    deinit {
        close(own)
        letGoOfOtherEnd()
    }

    /// Starts the process in the same environment with the other end, which it alone holds from then on.
    /// - Parameters:
    ///   - arguments: Its arguments, beginning with its own name.
    ///   - output: A descriptor for its output in place of the socket; standard error is shared with this process.
    package func start(_ arguments: [String], output: Int32? = nil) throws(FetchFailure) -> Int32 {
        defer { letGoOfOtherEnd() }
        let end = other.load(ordering: .relaxed)
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = ctrialkit_spawn_self(words, end, output ?? end)
        guard process > 0 else { throw FetchFailure(errno: -process, "this program could not be started again") }
        return process
    }

    /// Sends a text; returns `false` if the other end is closed.
    func send(_ text: String) -> Bool { SocketCall.sendAll(text, to: own) }

    /// Sends a document and ends the other process's input; returns `false` if the other end is closed.
    package func send(document: some Collection<UInt8>) -> Bool {
        defer { endInput() }
        return Array(document).withUnsafeBytes { SocketCall.sendAll($0, to: own) }
    }

    func endInput() { shutdown(own, Int32(SHUT_WR)) }

    /// Passes each line to `take` until the other end is closed.
    func readLines(_ take: (String) -> Void) {
        var line: [UInt8] = []
        read { piece in
            for byte in piece {
                if byte == UInt8(ascii: "\n") {
                    take(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                } else {
                    line.append(byte)
                }
            }
        }
    }

    /// Reads everything until the other end is closed.
    package func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        read { bytes += $0 }
        return bytes
    }

    private func read(_ take: (ArraySlice<UInt8>) -> Void) {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = piece.withUnsafeMutableBytes { SocketCall.receive($0, from: own) }
            guard count > 0 else { return }
            take(piece[..<count])
        }
    }

    private func letGoOfOtherEnd() {
        let descriptor = other.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits for the end of a process and describes it: `by itself, with status 0`, `by signal 9`.
    package static func ending(of process: Int32) -> String {
        var status: Int32 = 0
        _ = SystemCall.retried { waitpid(process, &status, 0) }
        return words(ofStatus: status)
    }

    /// Describes the status of an ended process from `waitpid(2)`.
    static func words(ofStatus status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0 ? "by itself, with status \((status >> 8) & 0xff)" : "by signal \(signal)"
    }
}
