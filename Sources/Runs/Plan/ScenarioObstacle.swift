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
        if cell.planned.command != nil { return "command \(mode) fetches once and plays no scenario" }
        guard let scenario = cell.planned.scenarios.first(where: { $0.name == choice.name }) else {
            return "the program of mode \(mode) does not play \(choice.name): \(choice.remedy)"
        }
        if cell.cell.conditions.start == .cold { return "a scenario is warmed up: it has no cold start" }
        return modeReason(scenario) ?? assetReason(scenario) ?? renderReason(scenario) ?? conditionReason(scenario)
    }

    /// The first condition that the scenario would ignore.
    private func conditionReason(_ scenario: ScenarioDeclaration) -> String? {
        let conditions = cell.cell.conditions
        let isSingle = !scenario.needs.concurrency || scenario.variant(of: choice)?.fetchesSingly == true
        if conditions.concurrency > 1, isSingle {
            return "\(choice.text) decides by itself how many it fetches at once: ask for --concurrency 1"
        }
        guard scenario.needs.length, conditions.transfer != .length else { return nil }
        return
            "\(choice.name) cuts a body whose length is told, which transfer \(conditions.transfer.rawValue) does not"
    }

    private func modeReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.body, !cell.mode.yieldsBody {
            return
                "mode \(mode) leaves no body behind, which \(choice.name) is about; a mode of your own that does has to "
                + "declare it (yieldsBody)"
        }
        if scenario.needs.loader, cell.mode.showsItself {
            return "mode \(mode) decodes and shows pictures itself, which the loader of \(choice.name) does"
        }
        let needed = scenario.needs.abilities.union(scenario.variant(of: choice)?.abilities ?? [])
        let missing = needed.subtracting(cell.mode.abilities).sorted { $0.lack < $1.lack }
        guard !missing.isEmpty else { return nil }
        func joined(_ words: [String]) -> String { words.joined(separator: " and ") }
        return
            "mode \(mode) \(joined(missing.map(\.lack))), which \(choice.text) is about; a mode of your own that can do "
            + "so has to declare it (abilities: \(joined(missing.map(\.rawValue))))"
    }

    private func assetReason(_ scenario: ScenarioDeclaration) -> String? {
        if scenario.needs.set, cell.asset.members == nil {
            return
                "\(choice.name) is about a set of pictures, such as asset gallery; \(cell.asset.name) is a single one"
        }
        if !scenario.needs.set, !scenario.needs.loader, let members = cell.asset.members {
            return "asset \(cell.asset.name) is a set of \(members.count) assets, and \(choice.name) is about one"
        }
        let needsOrigin = scenario.needs.origin || scenario.variant(of: choice)?.needsOrigin == true
        guard needsOrigin, !cell.asset.isEmbedded else { return nil }
        return "\(choice.text) tells the origin how to answer, which only the embedded one can be told"
    }

    private func renderReason(_ scenario: ScenarioDeclaration) -> String? {
        guard scenario.needs.rendering == .none, cell.model.needsBody else { return nil }
        return "\(choice.name) renders in its own way or not at all: ask for --render none"
    }
}

extension ModeAbility {
    /// The limitation of a mode without this ability, as a part of a sentence.
    fileprivate var lack: String {
        switch self {
        case .concurrency: "fetches one body at a time"
        case .slowConsumer: "hands nobody the body in pieces"
        case .sessionConfiguration: "has no session of URLSession"
        case .gzip: "does not decode gzip"
        case .cancellation: "cannot be cancelled"
        case .resuming:
            "cannot go on with a body that was cut (URLSession makes no resume data on Linux; stream asks for the rest "
                + "by hand)"
        case .connectionLimit: "cannot be told to open fewer connections"
        case .pieces: "hands nobody the body in pieces while it arrives"
        case .revalidation: "cannot ask whether what is there still holds"
        case .file: "leaves the body in no file"
        case .http2: "does not speak HTTP/2"
        case .requestDetails: "sends no headers, method or body of the user's own"
        }
    }
}

extension ScenarioChoice {
    /// The way to get a program that runs the scenario, as a part of a sentence.
    fileprivate var remedy: String {
        CommonScenarios.all.contains { $0.name == name }
            ? "every program built with this version of TrialKit does, so build the program again with it"
            : "a program of your own plays it only if you pass a scenario of that name to TrialProgram.run(modes:scenarios:)"
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
            guard choice == .none else { throw PlanMistake("--scenario: none has no variant and no number") }
            return
        }
        if CommonScenarios.all.contains(where: { $0.name == choice.name }),
            !scenarios.contains(where: { $0.name == choice.name })
        {
            throw PlanMistake("--scenario: no program at hand plays \(choice.name): \(choice.remedy)")
        }
        let scenario = try WordList.resolve(
            choice.name, kind: "scenario", among: scenarios, name: \.name)
        if let variant = choice.variant {
            _ = try WordList.resolve(
                variant, kind: "variant of \(scenario.name)", among: scenario.variants, name: \.name)
        }
        guard choice.count == nil || scenario.usualCount != nil else {
            throw PlanMistake("--scenario: \(scenario.name) takes no number")
        }
    }
}
