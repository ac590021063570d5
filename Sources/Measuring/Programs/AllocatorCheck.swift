// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Runs
import TrialKit

/// Finds out, in a process of its own, whether this machine has an allocator.
package enum AllocatorCheck {
    /// Starts a trial program with the allocator's environment and asks on which one it runs.
    /// - Returns: the allocator that it really got, or `nil` where it did not answer.
    package static func identity(
        of allocator: AllocatorArm, in program: String, variables: TrialVariables
    ) async -> AllocatorIdentity? {
        try? await ProgramQuery(path: program, variables: variables, allocator: allocator).answer().allocator
    }

    /// The allocators of a plan that cannot be had here, each with the reason and what to do.
    package static func unavailable(
        _ allocators: [AllocatorArm], in program: TrialExecutable, variables: TrialVariables
    ) async -> [AllocatorArm: String] {
        var reasons: [AllocatorArm: String] = [:]
        for allocator in allocators {
            // What every program was asked on its own allocator is known already.
            let identity =
                allocator == .glibc
                ? program.description.allocator : await identity(of: allocator, in: program.path, variables: variables)
            guard identity?.name != allocator.expectedIdentity else { continue }
            let found = identity.map { "runs on \($0.name)" } ?? "did not answer"
            let remedy = allocator.preloadedLibrary.map { "; \($0) comes with `apt-get install libjemalloc2`" } ?? ""
            reasons[allocator] = "a process asked for \(allocator.rawValue) \(found)\(remedy)"
        }
        return reasons
    }
}
