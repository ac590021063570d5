// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AssetServer
import FetchBenchKit
import MemProbe

extension PlanRequest {
    /// Makes the plan: prepares the assets, and leaves out the allocators that this machine does not have.
    func plan() async throws -> Plan {
        if let suiteNote { Console.warn(suiteNote) }
        let unavailable = try await unavailable()
        unavailable.values.sorted().forEach { Console.warn($0) }
        var plan = PlanBuilder(modes: modes, models: models).plan(
            assets: try assets(), allocators: allocators, conditions: conditions.all, unavailable: unavailable,
            trials: trials, seed: seed, settings: settings)
        try checkSomethingFetches(in: plan)
        plan.commands = plan.commands.map { Surroundings.redaction.command($0) }
        return plan
    }

    /// The allocators that this machine does not have, as the first program found that out.
    private func unavailable() async throws -> [AllocatorArm: String] {
        guard let program = programs.executables.first else { return [:] }
        return await AllocatorCheck.unavailable(
            allocators, in: program, variables: Surroundings.variables.fixing(programs.environment))
    }

    /// Refuses a plan in which no mode can do what is asked of it: a run of the null case alone would answer nothing.
    private func checkSomethingFetches(in plan: Plan) throws {
        let allocators = Set(plan.cases.map(\.allocator))
        let obstacle = plan.inapplicable.first {
            $0.cell.mode != Case.nullMode && allocators.contains($0.cell.allocator)
        }
        guard let obstacle, !plan.cases.contains(where: { $0.mode != Case.nullMode }) else { return }
        throw ValidationError("nothing of this plan can be measured: \(obstacle.reason)")
    }

    /// The commands as they were given, by name.
    var commands: [String: ExternalCommand] {
        let commands = modes.compactMap(\.command)
        return Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
    }

    private func assets() throws -> [FetchBenchKit.Asset] {
        if let url {
            let location = RedactedURL.text(of: url)
            return [FetchBenchKit.Asset(name: TrialHost.foreignAsset, location: location, isEmbedded: false)]
        }
        let library = try Surroundings.library()
        return try assetNames.map { name in
            let asset = try library.asset(named: name, seed: seed)
            library.warnings(about: asset).forEach { Console.warn($0) }
            return FetchBenchKit.Asset(
                name: asset.name, location: asset.path, isEmbedded: true, byteCount: asset.byteCount,
                sha256: asset.sha256, mediaType: asset.mediaType)
        }
    }
}
