// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// Makes commands that repeat the measurement of one case of a judgement.
package struct Reproduction {
    /// The subcommand and the sides that it compares.
    let beginning: [String]
    let plan: Plan
    /// The commands among the modes, unredacted, by name: those of a plan may lack secrets and folders.
    let commands: [String: ExternalCommand]
    /// Keeps credentials and the user's folders out of printed commands.
    let redaction: RedactedCommand
    /// The paths of trial programs beside this project's own.
    var programs: [String] = []
    /// True if the beginning already names the modes.
    var namesModes = false
    /// A command that repeats everything, for a case that cannot be named alone.
    var whole: String?

    /// Measures a case by itself, with enough trials to be judged.
    package static func run(
        _ plan: Plan, commands: [String: ExternalCommand], programs: [String] = [], whole: String? = nil,
        redaction: RedactedCommand
    ) -> Reproduction {
        Reproduction(
            beginning: ["run", "--trials", "30"], plan: plan, commands: commands, redaction: redaction,
            programs: programs, whole: whole)
    }

    /// Measures a case of a stored run, of which a command may be redacted.
    package static func run(stored run: RunRecord, redaction: RedactedCommand) -> Reproduction {
        let whole = run.plan.commands.filter { $0.isRedacted != true }
        return .run(
            run.plan, commands: Dictionary(whole.map { ($0.name, $0) }) { first, _ in first },
            whole: run.reproduce.isEmpty ? nil : run.reproduce, redaction: redaction)
    }

    /// Returns the findings with a command for each that is not unchanged.
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

    /// The assets of cases that differ from this one in nothing else, as a slope needs them.
    private func assets(besides cell: Case) -> [String] {
        plan.cases.filter { other in
            var other = other
            other.asset = cell.asset
            return other == cell
        }.map(\.asset)
    }
}
