// SPDX-License-Identifier: Apache-2.0

import Foundation
public import MemProbe
import Subprocess
import SystemPackage

/// Finds out, in a process of its own, whether this machine has an allocator.
public enum AllocatorCheck {
    /// Starts the program with the allocator's environment and asks on which one it runs.
    /// - Parameters:
    ///   - executable: the program whose `trial --identify` answers with its allocator as JSON.
    ///   - world: what builds its environment.
    /// - Returns: the allocator that it really got, or `nil` where it did not answer.
    public static func identity(
        of allocator: AllocatorArm, executable: String, world: WorldBuilder
    ) async -> AllocatorIdentity? {
        let result = try? await Subprocess.run(
            .path(FilePath(executable)), arguments: ["trial", "--identify"],
            environment: .sorted(world.environment(for: allocator, directory: "/tmp")),
            output: .bytes(limit: 1 << 16), error: .discarded)
        guard let result else { return nil }
        return try? JSONDecoder().decode(AllocatorIdentity.self, from: Data(result.standardOutput))
    }

    /// The allocators of a plan that cannot be had here, each with the reason and what to do.
    public static func unavailable(
        _ allocators: [AllocatorArm], executable: String, world: WorldBuilder
    ) async -> [AllocatorArm: String] {
        var reasons: [AllocatorArm: String] = [:]
        for allocator in allocators {
            let identity = await identity(of: allocator, executable: executable, world: world)
            guard identity?.name != allocator.expectedIdentity else { continue }
            let found = identity.map { "runs on \($0.name)" } ?? "did not answer"
            let remedy = allocator.preloadedLibrary.map { "; \($0) comes with `apt-get install libjemalloc2`" } ?? ""
            reasons[allocator] = "a process asked for \(allocator.rawValue) \(found)\(remedy)"
        }
        return reasons
    }
}
