// SPDX-License-Identifier: Apache-2.0

import Texts
package import TrialKit

extension Dimension {
    static let loader = Dimension(
        flag: "loader", valueName: "policies",
        help: "Image-loading policies for scenarios, such as best,kingfisher,nuke; see `list loaders` (default: none).",
        suiteKey: "loaders", column: "loader", word: "loader", isOfOrigin: false,
        note: [
            "A loader models the policy of a library (`list loaders` names the source of each figure) with fetchbench's own",
            "caches. It is not the library itself, which does not build on Linux.",
        ],
        set: { text, conditions throws(PlanMistake) in
            guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) else {
                throw PlanMistake(
                    "unknown loader '\(SafeText.forTerminal(text))': see `fetchbench list loaders`")
            }
            conditions.loader = text
        }, text: { $0.loader },
        columnText: { $0.loader },
        obstacle: { cell in
            let choice = cell.cell.conditions.scenario
            let scenario = cell.planned.scenarios.first { $0.name == choice.name }
            guard scenario?.needs.loader != true else { return nil }
            let what = choice == .none ? "a single fetch" : choice.name
            return "\(what) loads no pictures, so --loader does not apply (see `fetchbench list scenarios`)"
        }, isTold: { $0?.needs.loader == true })
}

/// The validation of a loader's name among those of the scenarios.
package struct LoaderCheck: Sendable {
    private let scenarios: [ScenarioDeclaration]
    private let loaders: [LoaderDeclaration]

    package init(among scenarios: [ScenarioDeclaration]) {
        self.scenarios = scenarios
        var seen: Set<String> = []
        loaders = scenarios.flatMap { $0.loaders ?? [] }.filter { seen.insert($0.name).inserted }
    }

    package func check(_ name: String) throws(PlanMistake) {
        guard name != FetchConditions.usualLoader else { return }
        _ = try loader(name)
    }

    /// Returns the mode closest to what each loader does itself, by the loader's name.
    /// - Throws: ``PlanMistake`` where something is fetched without a loader, and for an unknown loader.
    package func closestModes(of conditions: [FetchConditions]) throws(PlanMistake) -> [String: String] {
        var closest: [String: String] = [:]
        for one in conditions {
            guard scenarios.contains(where: { $0.name == one.scenario.name && $0.needs.loader }) else {
                let what = one.scenario == .none ? "a single fetch" : "scenario \(one.scenario.name)"
                throw PlanMistake(
                    "--mode closest measures each loader in the mode closest to it, and \(what) has no loader: "
                        + "name modes, or use a scenario with loaders, such as gallery")
            }
            closest[one.loader] = try loader(one.loader).closestMode
        }
        return closest
    }

    private func loader(_ name: String) throws(PlanMistake) -> LoaderDeclaration {
        try WordList.resolve(name, kind: "loader", among: loaders, name: \.name, listedBy: "list loaders")
    }
}
