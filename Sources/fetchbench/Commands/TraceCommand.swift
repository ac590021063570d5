// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Glibc

struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Trace commands: of each a JSON document in, a JSON document out.",
        shouldDisplay: false)

    func run() throws {
        OwnProgram.endsWithParent()
        while let line = readLine() {
            guard let request = try? JSONDecoder().decode(CommandRequest.self, from: Data(line.utf8)),
                let runner = CommandTrialRunner(request)
            else {
                throw ValidationError("no command on standard input; use `fetchbench run --exec` to start commands")
            }
            let report = String(decoding: try JSONEncoder().encode(runner.run()), as: UTF8.self)
            // A process that escaped would still run while the next command is measured.
            try Console.answer(request.answer(report, isLast: TracedCommand.mayHaveLeftOthers))
        }
        _exit(ExitCode.success.rawValue)
    }
}

protocol PlannedCommand {
    func namedPrograms() throws -> [String]

    func checkPlan(_ programs: TrialPrograms) throws
}

/// `fetchbench parse -- ARGUMENTS`: validates arguments; hidden, for the tests of documents.
struct ParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse", abstract: "Check arguments as another command would, without running it.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough, help: "The arguments, beginning with the subcommand.")
    var arguments: [String] = []

    func run() async throws {
        let words = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
        try FetchBench.check(words)
        guard let planned = try FetchBench.parseAsRoot(CommandParameter.joined(in: words)) as? any PlannedCommand else {
            return
        }
        // Programs of a document's readers need not be built here.
        guard try planned.namedPrograms().isEmpty else { return }
        try planned.checkPlan(await HarnessContext.here.programs())
    }
}
