// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Runs
import TrialKit

/// Checks, in separate processes, which allocators this machine has.
package enum AllocatorCheck {
    /// Starts a trial program on an allocator and returns the one that it reports; `nil` without an answer.
    package static func identity(
        of allocator: AllocatorArm, in program: String, variables: TrialVariables
    ) async -> AllocatorIdentity? {
        try? await ProgramQuery(path: program, variables: variables, allocator: allocator).answer().allocator
    }

    /// Returns the allocators of a plan that are unavailable, each with the reason and the remedy.
    package static func unavailable(
        _ allocators: [AllocatorArm], in programs: TrialPrograms, variables: TrialVariables
    ) async -> [AllocatorArm: String] {
        var reasons: [AllocatorArm: String] = [:]
        for allocator in allocators {
            guard let program = programs.executable(on: allocator) else {
                reasons[allocator] =
                    allocator == .own
                    ? "no trial program brings an allocator of its own"
                    : "every trial program brings an allocator of its own: use --allocator own"
                continue
            }
            // The description of each program names its default allocator.
            let identity =
                [.glibc, .own].contains(allocator)
                ? program.description.allocator : await identity(of: allocator, in: program.path, variables: variables)
            if let identity, allocator.isNamed(identity.name) { continue }
            let found = identity.map { "runs on \($0.name)" } ?? "did not answer"
            let remedy = allocator.preloadedLibrary.map { "; `apt-get install libjemalloc2` installs \($0)" } ?? ""
            reasons[allocator] = "a process asked for \(allocator.rawValue) \(found)\(remedy)"
        }
        return reasons
    }
}
