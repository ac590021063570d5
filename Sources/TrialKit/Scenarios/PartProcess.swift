// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A process of the same trial program that plays a part of a scenario, to be killed.
///
/// It is killed by the kernel, too, when the thread ends that has started it: whoever starts one waits for what it does
/// without giving up that thread.
package final class PartProcess {
    private let process: pid_t
    private let answer: PartAnswer
    private var hasEnded = false

    /// The number of the process.
    package var identifier: Int32 { process }

    /// Starts a process with a trial of its own.
    package init(_ request: TrialRequest) throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        // Not a pipe: the process would inherit both of its ends, and never read the end of its document.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "nothing could be had to tell another process what to do")
        }
        defer { close(ends[1]) }
        defer { close(ends[0]) }
        answer = try PartAnswer(in: request.directory)
        process = try OwnProgram.start(
            [CommandLine.arguments.first ?? ""], input: ends[0], output: answer.descriptor)
        guard let document = try? JSONEncoder().encode(request), Self.write(document, to: ends[1]) else {
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
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// Asks the kernel what the process does.
    private func look(_ options: Int32) throws(FetchFailure) {
        var status: Int32 = 0
        var found = waitpid(process, &status, options)
        while found < 0, errno == EINTR { found = waitpid(process, &status, options) }
        // 0x7f: it is stopped.
        guard found == process, status & 0xff != 0x7f else { return }
        hasEnded = true
        throw FetchFailure(
            .other, "the first process has ended \(OwnProgram.words(ofStatus: status))\(answer.reason)")
    }

    private static func write(_ document: Data, to descriptor: Int32) -> Bool {
        // Less than a socket holds, so that nobody waits for a process that has ended.
        document.count < 65_536
            && document.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == document.count
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
