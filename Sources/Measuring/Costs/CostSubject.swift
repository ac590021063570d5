// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

/// A program whose costs are measured.
package struct CostSubject: Hashable, Sendable {
    package let program: TrialExecutable
    /// The kind of build, as named by the user.
    package let linkage: CostLinkage

    package init(_ program: TrialExecutable, linkage: CostLinkage) {
        self.program = program
        self.linkage = linkage
    }

    /// The mode that fetches 1 KiB over http, or `nil`.
    ///
    /// It is the first one with a configurable client, because that is how a library is meant to be used, and a
    /// blocking initialiser has none; else the first that can.
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
    package init(_ subject: CostSubject) {
        self.init(
            name: subject.program.name, linkage: subject.linkage, mode: subject.mode?.name,
            binary: ProgramFile(at: subject.program.path).size)
    }
}
