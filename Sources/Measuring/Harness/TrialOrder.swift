// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// What a process is started for: a fetch in a trial program, or a command under the tracer.
enum TrialOrder: Sendable {
    /// The fetch of a mode, in the program at a path.
    case fetch(TrialRequest, program: String)
    /// A command, traced by the program at a path.
    case trace(CommandRequest, tracer: String)

    /// Whether a command is traced.
    var isCommand: Bool {
        if case .trace = self { true } else { false }
    }

    /// How much longer than a command its tracer may take: it reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)

    /// The process that it takes.
    /// - Parameters:
    ///   - environment: what the program that is measured gets.
    ///   - directory: the trial's folder.
    func process(
        environment: [String: String], directory: String, within limit: Duration, in surroundings: TrialSurroundings
    ) throws(FetchBenchError) -> ProcessOrder {
        switch self {
        case .fetch(let request, let program):
            return ProcessOrder(
                program: program, environment: environment, directory: directory,
                document: try RunCoding.compactText(of: request), limit: limit)
        case .trace(var request, let tracer):
            request.environment = environment
            request.mark = String(UInt64.random(in: .min ... .max), radix: 36)
            // It stays for the next trial: nothing that belongs to this one alone may reach it but by its document.
            let folder = surroundings.temporaryDirectory
            // A build has thousands of processes, and each of them a few hundred bytes. The tracer keeps the time limit of
            // the command itself; its own is for the case that it cannot.
            var order = ProcessOrder(
                program: tracer, arguments: ["trace"],
                environment: surroundings.variables.environment(for: .glibc, directory: folder), directory: folder,
                document: try RunCoding.compactText(of: request), outputLimit: 256 << 20, limit: limit + Self.margin)
            order.mark = request.mark
            return order
        }
    }
}
