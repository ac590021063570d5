// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A mode of a trial program, or a command that takes its place.
package struct PlannedMode: Hashable, Sendable {
    /// The word of `--mode` for every mode; no mode can have this name.
    package static let allWord = "all"
    /// The word of `--mode` for the mode closest to each loader; no mode can have this name.
    package static let closestWord = "closest"

    package let declaration: ModeDeclaration
    package let command: ExternalCommand?
    /// The scenarios of its program.
    package let scenarios: [ScenarioDeclaration]
    /// The render models of its program, or `nil` if it did not declare any.
    package let models: [String]?
    /// The name of the allocator that its program runs on unless another is selected; `nil` of commands.
    package let allocatorName: String?

    package init(
        _ declaration: ModeDeclaration, scenarios: [ScenarioDeclaration] = [], models: [String]? = nil,
        allocatorName: String? = nil
    ) {
        self.declaration = declaration
        self.allocatorName = allocatorName
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
        allocatorName = nil
    }

    /// True for every mode and for each command with `{url}`.
    package var fetches: Bool { command?.fetches ?? true }

    /// True if its program brings an allocator that nothing replaces.
    package var bringsAllocator: Bool { allocatorName.map(AllocatorArm.own.isNamed) ?? false }

    /// The value of the column `mode`.
    package var name: String { declaration.name }
}
