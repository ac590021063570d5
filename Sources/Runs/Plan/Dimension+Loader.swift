// SPDX-License-Identifier: Apache-2.0

import Texts
package import TrialKit

extension Dimension {
    static let loader = Dimension(
        flag: "loader", valueName: "policies",
        help: "The policy that a scenario loads pictures under: best, kingfisher, nuke …; `list loaders` tells them.",
        suiteKey: "loaders", column: "loader", word: "loader", isOfOrigin: false,
        note: [
            "A loader is a model: the policy of a library as far as it was read (`list loaders` names the source of each",
            "figure), played by this project's own caches. It is never the library itself, which does not build on Linux.",
        ],
        set: { text, conditions throws(PlanMistake) in
            guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) else {
                throw PlanMistake(
                    "--loader: '\(SafeText.forTerminal(text))' is no policy; give best, or another of `list loaders`")
            }
            conditions.loader = text
        }, text: { $0.loader },
        columnText: { $0.loader },
        obstacle: { cell in
            let choice = cell.cell.conditions.scenario
            let scenario = cell.planned.scenarios.first { $0.name == choice.name }
            guard scenario?.needs.loader != true else { return nil }
            let what = choice == .none ? "a single fetch" : choice.name
            return "\(what) loads no pictures: a loader's policy is for scenarios that do (`list scenarios`)"
        }, isTold: { $0?.needs.loader == true })
}

/// The validation of a loader's name among those of the scenarios.
package struct LoaderCheck: Sendable {
    private let loaders: [LoaderDeclaration]

    package init(among scenarios: [ScenarioDeclaration]) {
        var seen: Set<String> = []
        loaders = scenarios.flatMap { $0.loaders ?? [] }.filter { seen.insert($0.name).inserted }
    }

    package func check(_ name: String) throws(PlanMistake) {
        guard name != FetchConditions.usualLoader else { return }
        _ = try WordList.resolve(name, kind: "loader", among: loaders, name: \.name)
    }
}
