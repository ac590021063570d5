// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// Commands that measure one case of a judgement again.
package struct Reproduction {
    /// What the command begins with: the subcommand and what it compares.
    let beginning: [String]
    /// The plan that was measured.
    let plan: Plan
    /// The commands among the modes as they were given, by name; those of a plan may lack secrets and folders.
    let commands: [String: ExternalCommand]
    /// What keeps credentials and the user's folders out of what is printed.
    let redaction: RedactedCommand
    /// The paths of trial programs beside those of this project.
    var programs: [String] = []
    /// Whether the modes are named by the beginning already.
    var namesModes = false
    /// A command that measures everything again, for a case that cannot be named alone.
    var whole: String?

    /// One of a case that is measured by itself, long enough to be judged.
    package static func run(
        _ plan: Plan, commands: [String: ExternalCommand], programs: [String] = [], whole: String? = nil,
        redaction: RedactedCommand
    ) -> Reproduction {
        Reproduction(
            beginning: ["run", "--trials", "30"], plan: plan, commands: commands, redaction: redaction,
            programs: programs, whole: whole)
    }

    /// One of a case of a run that was stored, where a command may have lost what would make it run.
    package static func run(stored run: RunRecord, redaction: RedactedCommand) -> Reproduction {
        let whole = run.plan.commands.filter { $0.isRedacted != true }
        return .run(
            run.plan, commands: Dictionary(whole.map { ($0.name, $0) }) { first, _ in first },
            whole: run.reproduce.isEmpty ? nil : run.reproduce, redaction: redaction)
    }

    /// The findings, each that says something has changed with its command.
    package func added(to findings: [Finding]) -> [Finding] {
        findings.map { finding in
            guard finding.verdict != .unchanged, let cell = plan.cases.first(where: { $0.identifier == finding.cell })
            else { return finding }
            var finding = finding
            let budget = finding.budget.flatMap { try? Budget(parsing: $0, of: .ofEveryTrial) }
            finding.reproduce = command(for: cell, asSweep: budget?.limitsSlope ?? false)
            return finding
        }
    }

    private func command(for cell: Case, asSweep: Bool) -> String? {
        let isCommand = plan.command(of: cell) != nil
        guard namesModes || !isCommand || commands[cell.mode] != nil else { return whole }
        let names = asSweep ? assets(besides: cell) : [cell.asset]
        var flags = PlanFlags(
            of: cell, assets: plan.assets.filter { names.contains($0.name) }, command: commands[cell.mode], in: plan,
            redaction: redaction)
        flags.programs = programs
        flags.leavesTrialsOut = true
        if cell.isPlain, beginning.first == "run", commands[cell.mode]?.hasShortName == false {
            (flags.values.trials, flags.leavesTrialsOut) = (30, false)
            return flags.execCommand()
        }
        if namesModes {
            flags.modes = []
            flags.commands = []
        }
        return (["fetchbench"] + beginning + flags.words).joined(separator: " ")
    }

    /// The assets of the cases that differ from this one in nothing else: a slope takes them all.
    private func assets(besides cell: Case) -> [String] {
        plan.cases.filter { other in
            var other = other
            other.asset = cell.asset
            return other == cell
        }.map(\.asset)
    }
}
