// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// The purpose of a process: a fetch in a trial program, or a command under the tracer.
enum TrialOrder: Sendable {
    case fetch(TrialRequest, program: String)
    case trace(CommandRequest, tracer: String)

    var isCommand: Bool {
        if case .trace = self { true } else { false }
    }

    /// The additional time of a tracer, which reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)

    /// Returns the process to launch; `environment` is that of the measured program.
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
            // The tracer stays for the next trial: whatever belongs to this one has to be in its document.
            let folder = surroundings.temporaryDirectory
            // A build has thousands of processes of a few hundred bytes each. The tracer enforces the time limit of the
            // command; its own applies if it fails to.
            var order = ProcessOrder(
                program: tracer, arguments: ["trace"],
                environment: surroundings.variables.environment(for: .glibc, directory: folder), directory: folder,
                document: try RunCoding.compactText(of: request), outputLimit: 256 << 20, limit: limit + Self.margin)
            order.mark = request.mark
            return order
        }
    }
}
