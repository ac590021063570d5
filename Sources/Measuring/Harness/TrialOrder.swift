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

    /// Its arguments.
    ///
    /// The name of every trial is the same, because its length is part of what is resident.
    var arguments: [String] { isCommand ? ["trace"] : [] }

    /// Puts the recorder into what is measured: the program itself, or the command and not what traces it.
    mutating func record(by variables: [String: String], _ environment: inout [String: String]) {
        switch self {
        case .fetch: environment.merge(variables) { $1 }
        case .trace(var request, let tracer):
            request.variables = variables
            self = .trace(request, tracer: tracer)
        }
    }

    /// The document that it gets, as JSON.
    func document() throws(FetchBenchError) -> String {
        switch self {
        case .fetch(let request, _): try RunCoding.compactText(of: request)
        case .trace(let request, _): try RunCoding.compactText(of: request)
        }
    }
}
