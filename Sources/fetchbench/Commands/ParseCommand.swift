// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring

/// A command whose arguments define a plan.
protocol PlannedCommand {
    /// The paths of the named trial programs.
    func namedPrograms() throws -> [String]

    /// Validates the plan without running it.
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
        try FirstContact.check(words)
        guard let planned = try FetchBench.parseAsRoot(ParameterWords.joined(words)) as? any PlannedCommand else {
            return
        }
        // Programs of a document's readers need not be built here.
        guard try planned.namedPrograms().isEmpty else { return }
        try planned.checkPlan(await HarnessContext.here.programs())
    }
}
