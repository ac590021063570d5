// SPDX-License-Identifier: Apache-2.0

package import Runs
import Texts

/// What a command line says of a plan, word for word: nothing in it is checked yet.
package struct PlanWords: Hashable, Sendable {
    /// A foreign URL to fetch.
    package var url: String?
    /// What its requests carry.
    package var request = RequestWords()
    /// The suite that says the rest.
    package var suite: SuiteFile?
    /// The fetch modes.
    package var modes: [String] = []
    /// The paths of trial programs beside those of this project.
    package var programs: [String] = []
    /// Commands in the place of modes, as `NAME=command`.
    package var commands: [String] = []
    /// Commands that are known already, as `exec` makes them of its arguments.
    package var plainCommands: [ExternalCommand] = []
    /// The parameters of plain commands, each `NAME=VALUE,VALUE`.
    package var parameters: [String] = []
    /// How plain commands are run.
    package var commandSettings = CommandSettings()
    /// The render models.
    package var renders: [String] = []
    /// The allocators.
    package var allocators: [String] = []
    /// The embedded origin's assets.
    package var assets: [String] = []
    /// The values of dimensions, by their flag.
    package var conditions: [String: [String]] = [:]
    /// The value of each setting that was given, by its flag.
    package var settings: [String: String] = [:]

    /// Creates words that say nothing.
    package init() {}

    /// The commands in the place of modes.
    /// - Parameter modes: the names that are taken.
    /// - Throws: ``PlanMistake`` for one that is none, or whose name is taken.
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
