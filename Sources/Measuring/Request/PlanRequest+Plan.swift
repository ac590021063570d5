// SPDX-License-Identifier: Apache-2.0

package import Runs

extension PlanRequest {
    /// Makes the plan: prepares the assets, and leaves out the allocators that this machine does not have.
    /// - Returns: the plan, and what a user should know of it.
    package func plan(
        assets source: any AssetSource, variables: TrialVariables, redaction: RedactedCommand
    ) async throws -> (plan: Plan, warnings: [String]) {
        let unavailable = await unavailable(variables)
        var warnings = unavailable.values.sorted()
        var plan = PlanBuilder(modes: modes, models: models).plan(
            assets: try assets(from: source, &warnings), allocators: allocators, conditions: conditions.all,
            unavailable: unavailable, trials: trials, seed: seed, settings: settings)
        try checkSomethingFetches(in: plan)
        warnings += OriginPace.warnings(about: plan.assets, plan.settings)
        plan.commands = plan.commands.map { redaction.command($0) }
        return (plan, warnings)
    }

    /// The allocators that this machine does not have, as the first program found that out.
    private func unavailable(_ variables: TrialVariables) async -> [AllocatorArm: String] {
        guard let program = programs.executables.first else { return [:] }
        return await AllocatorCheck.unavailable(
            allocators, in: program, variables: variables.fixing(programs.environment))
    }

    /// Refuses a plan in which no mode can do what is asked of it: a run of the null case alone would answer nothing.
    private func checkSomethingFetches(in plan: Plan) throws(PlanMistake) {
        let allocators = Set(plan.cases.map(\.allocator))
        let obstacle = plan.inapplicable.first {
            $0.cell.mode != Case.nullMode && allocators.contains($0.cell.allocator)
        }
        guard let obstacle, !plan.cases.contains(where: { $0.mode != Case.nullMode }) else { return }
        throw PlanMistake("nothing of this plan can be measured: \(obstacle.reason)")
    }

    private func assets(from source: any AssetSource, _ warnings: inout [String]) throws -> [Asset] {
        if let url = words.url {
            return [Asset(name: Asset.foreignName, location: RedactedURL.text(of: url), isEmbedded: false)]
        }
        return try assetNames.map { name in
            let prepared = try source.asset(named: name, seed: seed)
            warnings += prepared.warnings
            return prepared.asset
        }
    }
}
