// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Synchronization

/// A process that runs until it ends, is killed when its time is over, and dies with this process.
package struct ChildProcess: Sendable {
    /// The path of its program.
    package var executable: String
    var arguments: [String]
    var environment: [String: String]
    /// The file that gets what it prints, on both streams.
    var output: String
    /// After how many seconds it is killed.
    var limit: Int

    /// Creates one that has not begun.
    package init(
        executable: String = TestCommand.executable, arguments: [String], environment: [String: String], output: String,
        limit: Int
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.output = output
        self.limit = limit
    }

    /// Runs it on a thread of its own: a thread of Swift's tasks must not wait.
    package func run() async -> ChildEnding {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The child dies with this thread, which is there until the child has ended.
                Thread.detachNewThread { continuation.resume(returning: ending(cancellation)) }
            }
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func ending(_ cancellation: Cancellation) -> ChildEnding {
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let file = open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer {
            close(input)
            close(file)
        }
        guard input >= 0, file >= 0 else { return .notStarted("no file for what it prints: \(output)") }
        let command = TracedCommand(
            executable: executable, arguments: arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
            workingDirectory: FileManager.default.currentDirectoryPath, standardInput: input, standardOutput: file,
            standardError: file)
        do throws(MemProbeError) {
            let child = try GatedChild(command)
            child.open()
            let failure = child.startFailure()
            let ending = wait(for: child.identifier, cancellation)
            return failure.map { .notStarted("\($0)") } ?? ending
        } catch {
            return .notStarted("\(error)")
        }
    }

    private func wait(for child: Int32, _ cancellation: Cancellation) -> ChildEnding {
        let end = MonotonicClock.now() + limit * 1_000_000_000
        var killed: ChildEnding?
        var status: Int32 = 0
        while true {
            let found = waitpid(child, &status, WNOHANG)
            if found == child { break }
            guard found == 0 || errno == EINTR else { return .notStarted("nobody knows how it ended") }
            if killed == nil, cancellation.isCancelled.load(ordering: .relaxed) { killed = .cancelled }
            if killed == nil, MonotonicClock.now() >= end { killed = .timedOut(seconds: limit) }
            if killed != nil { kill(child, SIGKILL) }
            usleep(2000)
        }
        // What it has started goes with it.
        kill(-child, SIGKILL)
        if let killed { return killed }
        switch WaitStatus(status) {
        case .exited(let status): return .exited(status)
        case .killed(let signal): return .killed(signal: signal)
        default: return .notStarted("its status \(status) is unknown")
        }
    }
}

/// Whether the child is no longer wanted.
private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
}
