// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit

/// Commands that measure one case of a judgement again.
struct Reproduction {
    /// What the command begins with: the subcommand and what it compares.
    let beginning: [String]
    /// The plan that was measured.
    let plan: Plan
    /// Whether the modes are named by the beginning already.
    let namesModes: Bool

    /// The findings, each that says something has changed with its command.
    func added(to findings: [Finding]) -> [Finding] {
        findings.map { finding in
            guard finding.verdict != .unchanged, let cell = plan.cases.first(where: { $0.identifier == finding.cell })
            else { return finding }
            var finding = finding
            finding.reproduce = command(for: cell)
            return finding
        }
    }

    private func command(for cell: Case) -> String {
        var words = ["fetchbench"] + beginning
        if let asset = plan.asset(of: cell) {
            words += asset.isEmbedded ? ["--asset", asset.name] : ["--url", ShellWord.pasted(asset.location)]
        }
        if let command = plan.command(of: cell), !namesModes {
            words += ["--exec", ShellWord.quoted("\(command.name)=\(command.command)")]
        } else if !namesModes {
            words += ["--mode", cell.mode]
        }
        words += ["--render", cell.render, "--allocator", cell.allocator.rawValue, "--seed", "\(plan.seed)"]
        words += ["--rate", plan.settings.rate]
        return words.joined(separator: " ")
    }
}
