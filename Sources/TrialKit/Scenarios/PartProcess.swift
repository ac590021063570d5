// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A process of the same trial program that plays a part of a scenario, to be killed.
///
/// It is killed by the kernel, too, when the thread ends that has started it: whoever starts one waits for what it does
/// without giving up that thread.
package final class PartProcess {
    private let process: pid_t
    private var hasEnded = false

    /// Starts a process with a trial of its own.
    package init(_ request: TrialRequest) throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        // Not a pipe: the process would inherit both of its ends, and never read the end of its document.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "nothing could be had to tell another process what to do")
        }
        defer { close(ends[1]) }
        defer { close(ends[0]) }
        process = try OwnProgram.start([CommandLine.arguments.first ?? ""], input: ends[0], output: nil)
        guard let document = try? JSONEncoder().encode(request), Self.write(document, to: ends[1]) else {
            kill()
            throw FetchFailure(.other, "what the process has to do could not be told")
        }
    }

    deinit {
        kill()
    }

    /// Waits until something is the case.
    /// - Throws: ``FetchFailure`` where the process ends first, or nothing happens for so long.
    package func wait(
        atMost seconds: Int, until isTrue: () -> Bool
    ) throws(FetchFailure) {
        var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        var left = seconds * 1000
        while !isTrue() {
            guard left > 0 else { throw FetchFailure(.idleTimeout, "the first process has not come so far") }
            guard waitpid(process, nil, WNOHANG) == 0 else {
                hasEnded = true
                throw FetchFailure(.other, "the first process has ended by itself")
            }
            nanosleep(&pause, nil)
            left -= 1
        }
    }

    /// Ends the process, which has no say in it, and waits until nothing of it is left.
    package func kill() {
        guard !hasEnded else { return }
        hasEnded = true
        Glibc.kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    private static func write(_ document: Data, to descriptor: Int32) -> Bool {
        // Less than a socket holds, so that nobody waits for a process that has ended.
        document.count < 65_536
            && document.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == document.count
    }
}
