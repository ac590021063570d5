// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// How a process ended, and what it said.
struct Ended: Sendable {
    /// Its exit status, or minus the number of the signal that ended it.
    var status: Int32
    /// What it wrote to standard output.
    var output: String
    /// What it wrote to standard error.
    var complaint: String
    /// Standard output, with lines that were broken at 80 columns joined again.
    var unwrapped: String { output.replacing("\n  ", with: " ") }
}

/// A process that a test started, and may wait for without blocking a thread.
final class Spawned: Sendable {
    private let process: TestProcess

    /// Starts a program with nothing of this process but the working directory and the environment given.
    init(_ path: String, _ arguments: [String], environment: [String: String], workingDirectory: String) throws {
        process = try TestProcess(path, arguments, environment: environment, in: workingDirectory)
    }

    /// Its process identifier.
    var identifier: pid_t { process.identifier }
    /// What it wrote to standard output so far.
    var output: String { String(decoding: process.output, as: UTF8.self) }
    /// What it wrote to standard error so far.
    var complaint: String { process.complaint }
    /// Whether it has not ended yet.
    var isRunning: Bool { process.isRunning }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits for its end; what takes longer than the limit is killed, and fails the test.
    func end(within seconds: Double) async throws -> Ended {
        let last = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < last {
            if let ended = process.end() {
                return Ended(status: ended.status, output: ended.text, complaint: ended.complaint)
            }
            try await Task.sleep(for: .milliseconds(4))
        }
        send(SIGKILL)
        throw Obstacle("still running after \(seconds) s; it said: \(output.suffix(400))\(complaint.suffix(400))")
    }

    /// Looks at it again and again until it ends, on a thread of its own: those of tasks may be busy with tests that block.
    func watch(every seconds: Double, _ look: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while self.isRunning {
                    look()
                    Thread.sleep(forTimeInterval: seconds)
                }
                continuation.resume()
            }
        }
    }
}

/// Waits until a condition holds, for so long at most, and says whether it does.
func eventually(within seconds: Double, _ condition: () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(4))
    }
    return try condition()
}
