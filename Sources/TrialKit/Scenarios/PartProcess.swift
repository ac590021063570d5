// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe

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

    deinit {
        kill()
    }

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

    deinit {
        close(descriptor)
    }

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
