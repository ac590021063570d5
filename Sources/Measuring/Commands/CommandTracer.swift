// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Synchronization

/// The process that traces the commands of a run, one after another, because many take less time than its start.
final class CommandTracer: Sendable {
    /// The additional time of a tracer, which reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)
    /// The maximum size of an answer in bytes: a build has thousands of processes of a few hundred bytes each.
    private static let longestAnswer = 256 << 20
    /// The size of answers above which the process is replaced: what it traces starts as its copy.
    private static let mostOfResident = 1 << 20

    /// It enforces the time limit of a command; its own applies if it fails to.
    private let launch: ChildLaunch
    private let child = Mutex<ResidentChild?>(nil)

    /// - Parameters:
    ///   - harness: the path of this executable, whose command `trace` it runs.
    ///   - environment: that of the tracer; each request has that of its command.
    init(_ harness: String, environment: [String: String], directory: String, timeoutSeconds: Double) {
        launch = ChildLaunch(
            executable: harness, name: TrialExecutable.processName, arguments: ["trace"], environment: environment,
            directory: directory, limit: .seconds(timeoutSeconds) + Self.margin)
    }

    /// Traces a command, starting the process if there is none or it has ended.
    ///
    /// All that belongs to the command has to be in its request, since the process stays.
    /// - Returns: the end of this piece of work, as if it had been a process of its own.
    /// - Throws: `CancellationError` if the harness was stopped.
    func end(of request: CommandRequest) async throws -> ProcessEnd {
        var request = request
        request.mark = String(UInt64.random(in: .min ... .max), radix: 36)
        let worker = child.withLock { child in
            if let child, !child.hasEnded { return child }
            let new = ResidentChild(launch, answerLimit: Self.longestAnswer)
            child = new
            return new
        }
        var end = try await worker.work(try RunCoding.compactText(of: request))
        let answer = CommandRequest.report(in: end.output, markedBy: request.mark)
        // Foreign output would be taken for the next answer, and a command's remains end with their tracer.
        if answer?.isLast ?? true || end.output.count > Self.mostOfResident { child.withLock { $0 = nil } }
        if let answer { end.output = answer.report }
        return end
    }
}
