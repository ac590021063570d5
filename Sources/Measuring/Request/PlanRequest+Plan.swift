// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Runs

extension PlanRequest {
    /// Prepares an asset by name from a seed, and returns warnings for the user.
    package typealias Preparation = (_ name: String, _ seed: UInt64) throws -> (asset: Asset, warnings: [String])

    /// Makes the plan without the allocators that this machine lacks, and returns warnings for the user.
    package func plan(
        preparing prepared: Preparation, variables: TrialVariables, redaction: RedactedCommand
    ) async throws -> (plan: Plan, warnings: [String]) {
        _ = try plainTitles(redaction)
        let unavailable = await unavailable(variables)
        var warnings = unavailable.values.sorted()
        let plain = modes.compactMap(\.command).filter { !$0.fetches }
        var plan = PlanBuilder(
            modes: modes, models: models, parameters: parameters.stored(in: plain, redaction),
            closestModes: closestModes
        ).plan(
            assets: try assets(prepared, &warnings), allocators: allocators, conditions: conditions.all,
            unavailable: unavailable, trials: values.trials, seed: values.seed, settings: values.settings)
        try checkSomethingFetches(in: plan)
        warnings += slowAssets(of: plan)
        plan.commands = plan.commands.map { redaction.command($0) }
        let input = plan.settings.commands?.input.map { redaction.text($0) }
        plan.settings.commands?.input = input
        plan.settings.destinationFolder = plan.settings.destinationFolder.map { redaction.text($0) }
        plan.settings.certificateAuthority = plan.settings.certificateAuthority.map { redaction.text($0) }
        return (plan, warnings)
    }

    /// The titles of its plain commands in tables, one for each choice of their parameters.
    /// - Throws: ``PlanMistake`` for equal titles, which a comparison could not distinguish.
    package func plainTitles(_ redaction: RedactedCommand) throws(PlanMistake) -> [String] {
        let plain = modes.filter { !$0.fetches }
        let stored = parameters.stored(in: plain.compactMap(\.command), redaction)
        let titles = PlanBuilder(modes: plain, models: [], parameters: stored).plan(
            assets: [], allocators: allocators, trials: values.trials, seed: values.seed, settings: values.settings
        ).cases.map(\.title)
        if let double = titles.indices.first(where: { titles[..<$0].contains(titles[$0]) }) {
            throw PlanMistake(
                "two commands are named '\(CommandText.safe(titles[double]))'; give them different names")
        }
        return titles
    }

    /// Finds the allocators that this machine lacks, using the first program of each kind.
    private func unavailable(_ variables: TrialVariables) async -> [AllocatorArm: String] {
        guard !programs.executables.isEmpty, modes.contains(where: \.fetches) else { return [:] }
        return await AllocatorCheck.unavailable(
            allocators, in: programs, variables: variables.fixing(programs.environment))
    }

    /// Refuses a plan in which only the null case can be measured.
    private func checkSomethingFetches(in plan: Plan) throws(PlanMistake) {
        let allocators = Set(plan.cases.map(\.allocator))
        let obstacle = plan.inapplicable.first {
            $0.cell.mode != Case.nullMode && allocators.contains($0.cell.allocator)
        }
        guard let obstacle, !plan.cases.contains(where: { $0.mode != Case.nullMode }) else { return }
        throw PlanMistake("no case of this plan can be measured: \(obstacle.reason); choose other modes or options")
    }

    /// Warns about assets that take longer than a trial may.
    private func slowAssets(of plan: Plan) -> [String] {
        let settings = plan.settings
        guard let rate = ByteCount(parsing: settings.rate), rate > .zero else { return [] }
        return plan.assets.compactMap { asset in
            guard asset.isEmbedded, asset.members == nil, let size = asset.byteCount else { return nil }
            let seconds =
                Double(size.rawValue) / Double(rate.rawValue) + Double(settings.latencyNanoseconds ?? 0) / 1e9
            guard seconds > settings.timeoutSeconds else { return nil }
            return
                "asset \(asset.name) takes \(Int(seconds.rounded(.up))) s at \(settings.rate)/s, and a trial is killed after "
                + "\(Int(settings.timeoutSeconds)) s: increase --timeout or --rate, or use a smaller asset"
        }
    }

    private func assets(_ prepared: Preparation, _ warnings: inout [String]) throws -> [Asset] {
        if let url = words.url {
            return [Asset(name: Asset.foreignName, location: RedactedURL.text(of: url), isEmbedded: false)]
        }
        return try assetNames.map { name in
            let (asset, remarks) = try prepared(name, values.seed)
            warnings += remarks
            return asset
        }
    }
}
