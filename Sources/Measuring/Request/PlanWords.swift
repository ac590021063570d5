// SPDX-License-Identifier: Apache-2.0

package import Runs
import Texts

/// The plan arguments of a command line, unchecked.
package struct PlanWords: Hashable, Sendable {
    package var url: String?
    package var request = RequestWords()
    /// The suite that supplies the rest.
    package var suite: SuiteFile?
    package var modes: [String] = []
    /// The paths of trial programs beside this project's own.
    package var programs: [String] = []
    /// Commands measured like modes, as `NAME=command`.
    package var commands: [String] = []
    /// Parsed commands of `exec`.
    package var plainCommands: [ExternalCommand] = []
    /// The parameters of plain commands, as `NAME=VALUE,VALUE`.
    package var parameters: [String] = []
    package var commandSettings = CommandSettings()
    package var renders: [String] = []
    package var allocators: [String] = []
    package var assets: [String] = []
    /// The values of dimensions by flag.
    package var conditions: [String: [String]] = [:]
    /// The values of given settings by flag.
    package var settings: [String: String] = [:]
    /// Budgets besides those of the suite.
    package var budgets: [String] = []

    package init() {}

    /// Parses the commands that are measured like modes; `modes` are names that they cannot have.
    /// - Throws: ``PlanMistake`` for an invalid command or a taken name.
    package func externalCommands(besides modes: [String]) throws(PlanMistake) -> [ExternalCommand] {
        var names = Set(modes)
        var found = plainCommands
        for text in commands.isEmpty ? suite?.exec ?? [] : commands {
            let command: ExternalCommand
            do throws(CommandMistake) {
                command = try ExternalCommand(parsing: text)
            } catch {
                throw PlanMistake("--exec '\(SafeText.forTerminal(text))': \(error.explanation)")
            }
            guard names.insert(command.name).inserted else {
                throw PlanMistake("--exec: the name '\(command.name)' is taken; give the command another one")
            }
            found.append(command)
        }
        return found
    }
}
