// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AssetServer
import FetchBenchKit
import MemProbe

extension PlanRequest {
    /// Makes the plan: prepares the assets, and leaves out the allocators that this machine does not have.
    func plan() async throws -> Plan {
        let unavailable = await AllocatorCheck.unavailable(
            allocators, executable: Surroundings.executable, world: Surroundings.world)
        unavailable.values.sorted().forEach { Console.warn($0) }
        var plan = PlanBuilder(modes: modes, models: models).plan(
            assets: try assets(), allocators: allocators, conditions: conditions.all, unavailable: unavailable,
            trials: trials, seed: seed, settings: settings)
        try checkSomethingFetches(in: plan)
        plan.commands = plan.commands.map { Surroundings.redaction.command($0) }
        return plan
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
        let commands = modes.compactMap { ($0 as? CommandMode)?.command }
        return Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
    }

    private func assets() throws -> [FetchBenchKit.Asset] {
        if let url {
            let location = RedactedURL.text(of: url)
            return [FetchBenchKit.Asset(name: TrialHost.foreignAsset, location: location, isEmbedded: false)]
        }
        let library = Surroundings.library
        return try assetNames.map { name in
            let asset = try library.asset(named: name, seed: seed)
            library.warnings(about: asset).forEach { Console.warn($0) }
            return FetchBenchKit.Asset(
                name: asset.name, location: asset.path, isEmbedded: true, byteCount: asset.byteCount,
                sha256: asset.sha256, mediaType: asset.mediaType)
        }
    }

    /// Arguments that do the same again, without the credentials of a URL.
    var reproduction: String {
        var words = ["fetchbench", "run"]
        if let url {
            words += ["--url", ShellWord.quoted(RedactedURL.text(of: url))]
        } else {
            words += ["--asset", assetNames.joined(separator: ",")]
        }
        let builtIn = modes.filter { !($0 is CommandMode) }.map(\.name)
        if !builtIn.isEmpty { words += ["--mode", builtIn.joined(separator: ",")] }
        for mode in modes.compactMap({ $0 as? CommandMode }) {
            words += ["--exec", ShellWord.quoted("\(mode.name)=\(Surroundings.redaction.text(mode.command.command))")]
        }
        words += ["--render", models.map(\.name).joined(separator: ",")]
        words += ["--allocator", allocators.map(\.rawValue).joined(separator: ",")]
        words += conditions.reproduction
        words += ["--trials", "\(trials)", "--seed", "\(seed)", "--rate", settings.rate]
        words += ["--timeout", CompactNumber.text(settings.timeoutSeconds)]
        words += settings.memoryLimitFlag
        words += ["--verify", settings.verification.rawValue]
        return words.joined(separator: " ")
    }
}
