// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// How a process ended, and what it said.
struct Ended: Sendable {
    /// Its exit status, or minus the number of the signal that ended it.
    var status: Int32
    /// What it wrote to standard output.
    var output: String
    /// What it wrote to standard error.
    var complaint: String
}

/// A process that a test started: its output goes to files, so that it never waits for a reader.
final class Spawned: Sendable {
    private let process = Process()
    private let streams: String

    /// Starts a program with nothing of this process but the working directory and the environment given.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], workingDirectory: String, streams: String
    ) throws {
        self.streams = streams
        guard access(path, X_OK) == 0 else { throw Obstacle("there is no program \(path)") }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: workingDirectory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.newFile(streams + ".out")
        process.standardError = try Self.newFile(streams + ".err")
        try process.run()
    }

    deinit {
        send(SIGKILL)
    }

    /// Its process identifier.
    var identifier: pid_t { process.processIdentifier }
    /// What it wrote to standard output so far.
    var output: String { Self.text(at: streams + ".out") }
    /// What it wrote to standard error so far.
    var complaint: String { Self.text(at: streams + ".err") }
    /// Whether it has not ended yet.
    var isRunning: Bool { process.isRunning }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        if isRunning { kill(identifier, signal) }
    }

    /// Waits for its end; what takes longer than the limit is killed, and fails the test.
    func end(within seconds: Double) async throws -> Ended {
        guard try await eventually(within: seconds, { !self.isRunning }) else {
            send(SIGKILL)
            _ = try await eventually(within: 5) { !self.isRunning }
            throw Obstacle("still running after \(seconds) s; it said: \(output.suffix(400))\(complaint.suffix(400))")
        }
        let sign: Int32 = process.terminationReason == .uncaughtSignal ? -1 : 1
        return Ended(status: sign * process.terminationStatus, output: output, complaint: complaint)
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

    private static func newFile(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    private static func text(at path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
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
