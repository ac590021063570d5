// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Runs
import Texts
import TrialKit

/// What the trials of a scenario remarked, each remark once, with whom it is about.
struct ScenarioNotes: Sendable {
    /// The lines, in the order in which cases and trials remarked them first.
    let lines: [String]

    init(_ cases: [CaseSummary], of scenario: ScenarioDeclaration) {
        let isLoading = scenario.needs.loader
        var order: [String] = []
        var subjects: [String: [String]] = [:]
        var choices: [String: [ScenarioChoice]] = [:]
        for summary in cases {
            let subject = isLoading ? summary.cell.conditions.loader : summary.cell.mode
            for trial in summary.trials {
                // The first remark of a loader is its title, which names the subject.
                let remarks = trial.report?.scenario?.remarks ?? []
                for remark in isLoading ? remarks.dropFirst() : remarks[...] {
                    if subjects[remark] == nil { order.append(remark) }
                    if subjects[remark]?.contains(subject) != true { subjects[remark, default: []].append(subject) }
                    let choice = summary.cell.conditions.scenario
                    if choices[remark]?.contains(choice) != true { choices[remark, default: []].append(choice) }
                }
            }
        }
        lines = order.map { remark in
            let subject = (subjects[remark] ?? []).joined(separator: ", ")
            return subject + Self.variants(choices[remark] ?? []) + ": " + remark
        }
    }

    /// The variants that a remark is about, where it is about these alone.
    private static func variants(_ choices: [ScenarioChoice]) -> String {
        guard choices.allSatisfy({ $0.variant != nil }) else { return "" }
        return " (\(choices.map(\.text).joined(separator: ", ")))"
    }

    /// The same as a list of a report.
    var markdown: String {
        lines.map { "- \(SafeText.forMarkdown($0))\n" }.joined()
    }

    /// The same for a terminal.
    var plain: String {
        lines.map { "  \(SafeText.forTerminal($0))\n" }.joined()
    }
}
