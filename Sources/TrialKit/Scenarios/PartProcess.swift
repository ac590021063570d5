// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MemProbe

/// A process of the same trial program that plays a part of a scenario, to be killed.
///
/// It is killed by the kernel, too, when the thread ends that has started it: whoever starts one waits for what it does
/// without giving up that thread.
package final class PartProcess {
    private let process: pid_t
    private let answer: PartAnswer
    private var hasEnded = false

    package var identifier: Int32 { process }

    package init(_ request: TrialRequest) throws(FetchFailure) {
        let line = try OwnProgram()
        answer = try PartAnswer(in: request.directory)
        process = try line.start([CommandLine.arguments.first ?? ""], output: answer.descriptor)
        guard let document = try? JSONEncoder().encode(request), line.send(document: document) else {
            kill()
            throw FetchFailure(.other, "what the process has to do could not be told")
        }
    }

    deinit {
        kill()
    }

    /// Waits until something is the case, looking ten times a millisecond.
    /// - Throws: ``FetchFailure`` where the process ends first, with what it said of that, or nothing happens for so long.
    package func wait(atMost seconds: Int, until isTrue: () throws -> Bool) throws {
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000)
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() {
            guard .now < end else {
                throw FetchFailure(.idleTimeout, "the first process has not come so far within \(seconds) s")
            }
            try look(WNOHANG)
            nanosleep(&pause, nil)
        }
    }

    /// Stops the process where it is, as suddenly as a kill: what arrives from then on it does not read.
    /// - Throws: ``FetchFailure`` where it has ended first.
    package func freeze() throws(FetchFailure) {
        Glibc.kill(process, SIGSTOP)
        try look(WUNTRACED)
    }

    /// Ends the process, which has no say in it, and waits until nothing of it is left.
    package func kill() {
        guard !hasEnded else { return }
        hasEnded = true
        Glibc.kill(process, SIGKILL)
        _ = SystemCall.retried { waitpid(process, nil, 0) }
    }

    private func look(_ options: Int32) throws(FetchFailure) {
        var status: Int32 = 0
        let found = SystemCall.retried { waitpid(process, &status, options) }
        // 0x7f: it is stopped.
        guard found == process, status & 0xff != 0x7f else { return }
        hasEnded = true
        throw FetchFailure(
            .other, "the first process has ended \(OwnProgram.words(ofStatus: status))\(answer.reason)")
    }
}

/// Where a process writes what became of its trial: a file without a name.
private final class PartAnswer {
    /// An answer has a few kilobytes.
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

    /// Why its trial failed, as the end of a sentence; empty where it did not say.
    var reason: String {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0, let report = try? JSONDecoder().decode(TrialReport.self, from: Data(bytes[..<count])),
            let failure = report.failure
        else { return "" }
        return ": \(failure.phase.rawValue): \(failure.code): \(failure.detail)"
    }
}
