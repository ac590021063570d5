// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

/// What a process is started for: a fetch in a trial program, or a command under the tracer.
enum TrialOrder: Sendable {
    /// The fetch of a mode, in the program at a path.
    case fetch(TrialRequest, program: String)
    /// A command, traced by the program at a path.
    case trace(CommandRequest, tracer: String)

    /// The path of the program to start.
    var program: String {
        switch self {
        case .fetch(_, let program), .trace(_, let program): program
        }
    }

    /// Whether a command is traced.
    var isCommand: Bool {
        if case .trace = self { true } else { false }
    }

    /// Puts the recorder into what is measured: the program itself, or the command and not what traces it.
    mutating func record(by variables: [String: String], _ environment: inout [String: String]) {
        switch self {
        case .fetch: environment.merge(variables) { $1 }
        case .trace(var request, let tracer):
            request.variables = variables
            self = .trace(request, tracer: tracer)
        }
    }

    /// How much longer than a command its tracer may take: it reads the peaks of what it kills.
    private static let margin = Duration.seconds(15)

    /// The process that it takes.
    func process(
        environment: [String: String], directory: String, within limit: Duration
    ) throws(FetchBenchError) -> ProcessOrder {
        var order = ProcessOrder(
            program: program, arguments: isCommand ? ["trace"] : [], environment: environment, directory: directory,
            limit: limit)
        switch self {
        case .fetch(let request, _): order.document = try RunCoding.compactText(of: request)
        case .trace(let request, _):
            order.document = try RunCoding.compactText(of: request)
            // A build has thousands of processes, and each of them a few hundred bytes.
            order.outputLimit = 256 << 20
            // A command's own process keeps its time limit; this is for the case that it cannot.
            order.limit += Self.margin
        }
        return order
    }
}
