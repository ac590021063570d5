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
            let budget = finding.budget.flatMap { try? Budget(parsing: $0) }
            finding.reproduce = command(for: cell, asSweep: budget?.limitsSlope ?? false)
            return finding
        }
    }

    private func command(for cell: Case, asSweep: Bool) -> String {
        var words = ["fetchbench"] + beginning
        if let asset = plan.asset(of: cell) {
            let assets = asSweep ? self.assets(besides: cell) : [asset.name]
            words +=
                asset.isEmbedded
                ? ["--asset", assets.joined(separator: ",")] : ["--url", ShellWord.pasted(asset.location)]
        }
        if let command = plan.command(of: cell), !namesModes {
            words += ["--exec", ShellWord.quoted("\(command.name)=\(command.command)")]
        } else if !namesModes {
            words += ["--mode", cell.mode]
        }
        words += ["--render", cell.render, "--allocator", cell.allocator.rawValue] + conditionFlags(of: cell)
        words += ["--seed", "\(plan.seed)"]
        words += ["--rate", plan.settings.rate] + plan.settings.memoryLimitFlag
        return words.joined(separator: " ")
    }

    /// The assets of the cases that differ from this one in nothing else: a slope takes them all.
    private func assets(besides cell: Case) -> [String] {
        plan.cases.filter { other in
            var other = other
            other.asset = cell.asset
            return other == cell
        }.map(\.asset)
    }

    private func conditionFlags(of cell: Case) -> [String] {
        let conditions = cell.conditions
        let flags = [
            ("--concurrency", "\(conditions.concurrency)", "1"),
            ("--consumer-delay", DurationText.text(ofNanoseconds: conditions.consumerDelayNanoseconds), "0"),
            ("--session", conditions.session.rawValue, SessionKind.ephemeral.rawValue),
            ("--transfer", conditions.transfer.rawValue, TransferEncoding.length.rawValue),
            ("--scheme", conditions.scheme.rawValue, OriginScheme.http.rawValue),
        ]
        let limit = plan.settings.maximumConnections.map { ["--max-connections", "\($0)"] } ?? []
        return flags.filter { $0.1 != $0.2 }.flatMap { [$0.0, $0.1] } + limit
    }
}
