// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Runs
import TrialKit

/// Assets of which only the description is used.
enum FakeAssets {
    static func asset(named name: String, seed: UInt64) -> (asset: Asset, warnings: [String]) {
        let asset = Asset(name: name, location: "/\(name)", isEmbedded: true, byteCount: ByteCount(parsing: name))
        return (name == "hero" ? .hero : asset, ["prepared \(name)"])
    }
}

extension TrialPrograms {
    /// Programs of the fakes that nobody starts: one with the modes beside `raw`, one with `raw`.
    static let fake = TrialPrograms(executables: [
        program("trial-one", FakeMode.all.filter { $0.name != "raw" }),
        program("trial-two", FakeMode.all.filter { ["none", "raw"].contains($0.name) }),
    ])

    /// The same, built before there was a cold start.
    static let older = TrialPrograms(
        executables: fake.executables.map { program in
            var description = program.description
            description.protocols = 1...2
            return TrialExecutable(path: program.path, description: description)
        })

    /// The same with a scenario.
    static func fake(_ scenario: ScenarioDeclaration) -> TrialPrograms {
        TrialPrograms(
            executables: fake.executables.map { program in
                var description = program.description
                description.scenarios = [scenario]
                return TrialExecutable(path: program.path, description: description)
            })
    }

    private static func program(_ name: String, _ modes: [any FetchMode]) -> TrialExecutable {
        TrialExecutable(
            path: "/nowhere/\(name)",
            description: ProgramDescription(
                modes: modes, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc")))
    }
}

extension HarnessContext {
    /// A process in which nothing is started.
    static func fake(_ folder: String) -> HarnessContext {
        var outside = Outside()
        outside.now = { "2026-01-02T03:04:05Z" }
        outside.machine = { _ in SyntheticRun.environment }
        outside.revision = { _ in nil }
        var context = HarnessContext(
            arguments: [], environment: ["TMPDIR": folder, "XDG_CACHE_HOME": folder],
            executable: "/nowhere/fetchbench", workingDirectory: folder, user: 0, drawsProgress: false,
            outside: outside)
        context.redaction = RedactedCommand(folders: ["/home/me": "~"])
        context.shellRedaction = RedactedCommand(folders: [:])
        return context
    }
}

extension PlanRequest {
    /// The plan of the fakes.
    func synthetic() async throws -> (plan: Plan, warnings: [String]) {
        try await plan(
            preparing: FakeAssets.asset, variables: TrialVariables(environment: [:], fixed: [:]),
            redaction: HarnessContext.fake("/tmp").redaction)
    }
}
