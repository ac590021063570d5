// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring

/// A command whose arguments name a plan.
protocol PlannedCommand {
    /// The paths of the trial programs that the command would ask.
    func namedPrograms() throws -> [String]

    /// Checks every word of the plan, and does nothing.
    func checkPlan(_ programs: TrialPrograms) throws
}

/// `fetchbench parse -- ARGUMENTS`: whether they could be run; for the tests of documents, not for people.
struct ParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse", abstract: "Check arguments as another command would, and do nothing.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough, help: "The arguments, beginning with the subcommand.")
    var arguments: [String] = []

    func run() async throws {
        let words = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
        guard let planned = try FetchBench.parseAsRoot(ParameterWords.joined(words)) as? any PlannedCommand else {
            return
        }
        // What is somebody's own need not be built where a document is read.
        guard try planned.namedPrograms().isEmpty else { return }
        try planned.checkPlan(await HarnessContext.here.programs())
    }
}
