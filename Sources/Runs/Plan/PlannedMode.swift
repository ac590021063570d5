// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A mode of a trial program, or a command that takes its place.
package struct PlannedMode: Hashable, Sendable {
    package let declaration: ModeDeclaration
    package let command: ExternalCommand?
    /// The scenarios of its program.
    package let scenarios: [ScenarioDeclaration]
    /// The render models of its program, or `nil` if it did not declare any.
    package let models: [String]?

    package init(_ declaration: ModeDeclaration, scenarios: [ScenarioDeclaration] = [], models: [String]? = nil) {
        self.declaration = declaration
        self.scenarios = scenarios
        self.models = models
        command = nil
    }

    /// Creates a command, whose figures count the whole process and its children, from exec to exit.
    package init(_ command: ExternalCommand) {
        declaration = ModeDeclaration(name: command.name, summary: command.command)
        self.command = command
        scenarios = []
        models = nil
    }

    /// True for every mode and for each command with `{url}`.
    package var fetches: Bool { command?.fetches ?? true }

    /// The value of the column `mode`.
    package var name: String { declaration.name }
}
