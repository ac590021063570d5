// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// The distinct remarks of a scenario's trials, with the subjects that they are about.
struct ScenarioNotes: Sendable {
    /// A remark each, in the order of their first occurrence.
    let lines: [String]
    /// The lines for a terminal: of a loader only its title, as its sources are pages.
    private let briefLines: [String]

    init(_ cases: [CaseSummary], of scenario: ScenarioDeclaration) {
        let isLoading = scenario.needs.loader
        var order: [String] = []
        var titles: Set<String> = []
        var subjects: [String: [String]] = [:]
        var choices: [String: [ScenarioChoice]] = [:]
        for summary in cases {
            let subject = isLoading ? summary.cell.conditions.loader : summary.cell.mode
            for trial in summary.trials {
                // The first remark of a loader is its title.
                let remarks = trial.report?.scenario?.remarks ?? []
                if let title = remarks.first { titles.insert(title) }
                for remark in remarks {
                    if subjects[remark] == nil { order.append(remark) }
                    if subjects[remark]?.contains(subject) != true { subjects[remark, default: []].append(subject) }
                    let choice = summary.cell.conditions.scenario
                    if choices[remark]?.contains(choice) != true { choices[remark, default: []].append(choice) }
                }
            }
        }
        let described = order.map { remark in
            let subject = (subjects[remark] ?? []).joined(separator: ", ")
            return (remark, subject + Self.variants(choices[remark] ?? []) + ": " + remark)
        }
        lines = described.map(\.1)
        briefLines = described.filter { !isLoading || titles.contains($0.0) }.map(\.1)
    }

    /// Returns the variants that a remark is about, if it is only about variants.
    private static func variants(_ choices: [ScenarioChoice]) -> String {
        guard choices.allSatisfy({ $0.variant != nil }) else { return "" }
        return " (\(choices.map(\.text).joined(separator: ", ")))"
    }

    var markdown: String {
        lines.map { "- \(SafeText.forMarkdown($0))\n" }.joined()
    }

    var plain: String {
        briefLines.map { "  \(SafeText.forTerminal($0))\n" }.joined()
    }
}
