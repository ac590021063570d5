// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// What a plan fetches with: a mode of a trial program, or a command in the place of one.
package struct PlannedMode: Hashable, Sendable {
    /// What it can do.
    package let declaration: ModeDeclaration
    /// The command, where it is one.
    package let command: ExternalCommand?
    /// What its program can play with it, beside a single fetch.
    package let scenarios: [ScenarioDeclaration]
    /// What its program can render with, or `nil` where nobody has said.
    package let models: [String]?

    /// Creates a mode of a trial program that plays these scenarios and has these render models.
    package init(_ declaration: ModeDeclaration, scenarios: [ScenarioDeclaration] = [], models: [String]? = nil) {
        self.declaration = declaration
        self.scenarios = scenarios
        self.models = models
        command = nil
    }

    /// Creates a command: its figures count the whole process and its children, from exec to exit.
    package init(_ command: ExternalCommand) {
        declaration = ModeDeclaration(name: command.name, summary: command.command)
        self.command = command
        scenarios = []
        models = nil
    }

    /// Whether it is to fetch: every mode, and each command with `{url}`.
    package var fetches: Bool { command?.fetches ?? true }

    /// The word in the column `mode`.
    package var name: String { declaration.name }
}
