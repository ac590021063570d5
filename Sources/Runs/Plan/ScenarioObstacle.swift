// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The reason why a mode cannot run a scenario with an asset and a render model.
struct ScenarioObstacle {
    private let cell: CaseObstacle
    private let choice: ScenarioChoice

    init(_ cell: CaseObstacle) {
        self.cell = cell
        choice = cell.cell.conditions.scenario
    }

    private var mode: String { cell.mode.name }

    var reason: String? {
        if cell.planned.command != nil { return "command \(mode) fetches once, so --scenario does not apply" }
        guard let scenario = cell.planned.scenarios.first(where: { $0.name == choice.name }) else {
            return "the program of mode \(mode) does not support scenario \(choice.name): \(choice.remedy)"
        }
        if cell.cell.conditions.start == .cold { return "scenarios always warm up: --start cold does not apply" }
        return modeReason(scenario) ?? assetReason(scenario) ?? renderReason(scenario) ?? conditionReason(scenario)
    }

    /// The first condition that the scenario would ignore.
    private func conditionReason(_ scenario: ScenarioDeclaration) -> String? {
        let conditions = cell.cell.conditions
        let isSingle = !scenario.needs.concurrency || scenario.variant(of: choice)?.fetchesSingly == true
        if conditions.concurrency > 1, isSingle {
            return "\(choice.text) sets its own concurrency: use --concurrency 1"
        }
        guard scenario.needs.length, conditions.transfer != .length else { return nil }
        return
            "scenario \(choice.name) needs a Content-Length; transfer \(conditions.transfer.rawValue) has none"
    }

    private func modeReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.body, !cell.mode.yieldsBody {
            return
                "mode \(mode) yields no body, which scenario \(choice.name) needs; a custom mode declares it with yieldsBody"
        }
        if scenario.needs.loader, cell.mode.showsItself {
            return "mode \(mode) decodes pictures itself, which the loader of \(choice.name) has to do"
        }
        let needed = scenario.needs.abilities.union(scenario.variant(of: choice)?.abilities ?? [])
        let missing = needed.subtracting(cell.mode.abilities).sorted { $0.lack < $1.lack }
        guard !missing.isEmpty else { return nil }
        func joined(_ words: [String]) -> String { words.joined(separator: " and ") }
        return
            "mode \(mode) \(joined(missing.map(\.lack))), which \(choice.text) needs; a custom mode declares its abilities "
            + "(\(joined(missing.map(\.rawValue))))"
    }

    private func assetReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.set, cell.asset.members == nil {
            return
                "scenario \(choice.name) needs a set of pictures, such as --asset gallery; \(cell.asset.name) is a single asset"
        }
        if !scenario.needs.set, !scenario.needs.loader, let members = cell.asset.members {
            return "scenario \(choice.name) needs a single asset; \(cell.asset.name) is a set of \(members.count)"
        }
        let needsOrigin = scenario.needs.origin || scenario.variant(of: choice)?.needsOrigin == true
        guard needsOrigin, !cell.asset.isEmbedded else { return nil }
        return "\(choice.text) configures the embedded origin and cannot be combined with --url"
    }

    private func renderReason(_ scenario: ScenarioDeclaration) -> String? {
        guard scenario.needs.rendering == .none, cell.model.needsBody else { return nil }
        return "scenario \(choice.name) does its own rendering: use --render none"
    }
}

extension ModeAbility {
    /// The limitation of a mode without this ability, as a part of a sentence.
    fileprivate var lack: String {
        switch self {
        case .concurrency: "fetches one body at a time"
        case .slowConsumer: "does not stream the body"
        case .sessionConfiguration: "does not use URLSession"
        case .gzip: "does not decode gzip"
        case .cancellation: "cannot be cancelled"
        case .resuming:
            "cannot resume an interrupted body (URLSession has no resume data on Linux; mode stream requests the rest "
                + "itself)"
        case .connectionLimit: "has no limit of connections"
        case .pieces: "does not deliver the body while it arrives"
        case .revalidation: "cannot revalidate a stored body"
        case .file: "does not store the body in a file"
        case .http2: "does not support HTTP/2"
        case .requestDetails: "cannot send custom headers, methods or bodies"
        }
    }
}

extension ScenarioChoice {
    /// The way to get a program that runs the scenario, as a part of a sentence.
    fileprivate var remedy: String {
        CommonScenarios.all.contains { $0.name == name }
            ? "rebuild it with this version of TrialKit"
            : "a custom program supports it if a scenario of that name is passed to TrialProgram.run(modes:scenarios:)"
    }
}

/// The validation of a scenario among those of the programs at hand.
package struct ScenarioCheck: Sendable {
    private let scenarios: [ScenarioDeclaration]

    package init(among scenarios: [ScenarioDeclaration]) {
        self.scenarios = scenarios
    }

    package func check(_ choice: ScenarioChoice) throws(PlanMistake) {
        guard choice.name != ScenarioChoice.none.name else {
            guard choice == .none else {
                throw PlanMistake("invalid --scenario: 'none' has no variant or count; use --scenario none")
            }
            return
        }
        if CommonScenarios.all.contains(where: { $0.name == choice.name }),
            !scenarios.contains(where: { $0.name == choice.name })
        {
            throw PlanMistake("no program here supports scenario \(choice.name): \(choice.remedy)")
        }
        let scenario = try WordList.resolve(
            choice.name, kind: "scenario", among: scenarios, name: \.name, listedBy: "list scenarios")
        if let variant = choice.variant {
            _ = try WordList.resolve(
                variant, kind: "variant of \(scenario.name)", among: scenario.variants, name: \.name,
                listedBy: "list scenarios")
        }
        guard choice.count == nil || scenario.usualCount != nil else {
            throw PlanMistake("invalid --scenario: \(scenario.name) takes no count")
        }
    }
}
