// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

/// A program whose costs are measured.
package struct CostSubject: Hashable, Sendable {
    /// The program.
    package let program: TrialExecutable
    /// How it was built, as whoever named it says.
    package let linkage: CostLinkage

    /// Creates a subject.
    package init(_ program: TrialExecutable, linkage: CostLinkage) {
        self.program = program
        self.linkage = linkage
    }

    /// The mode that fetches: of those that can fetch any 1 KiB over http the first with a client that can be told what to
    /// do, because that is how a library wants to be used, and an initialiser that blocks has none; where there is none,
    /// the first; `nil` where nothing can.
    package var mode: ModeDeclaration? {
        let fetching = program.description.modes.filter { mode in
            mode.name != Case.nullMode && mode.schemes.contains("http") && mode.need != .sink
        }
        let client: Set<ModeAbility> = [.connectionLimit, .cancellation]
        return fetching.first { $0.abilities.contains(.concurrency) && !$0.abilities.isDisjoint(with: client) }
            ?? fetching.first
    }
}

extension CostRow {
    /// Creates the row of a program that has no trial yet.
    package init(_ subject: CostSubject) {
        self.init(
            name: subject.program.name, linkage: subject.linkage, mode: subject.mode?.name,
            binary: ProgramFile(at: subject.program.path).size)
    }
}
