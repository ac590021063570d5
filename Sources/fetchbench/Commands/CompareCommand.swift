// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Judging

/// `fetchbench compare`: compares two stored runs, or two builds interleaved on this machine.
struct CompareCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    enum Subject: Sendable {
        case runs(String, String)
        case commands(base: ExternalCommand, head: ExternalCommand)
        case binaries(base: String, head: String)
        case programs(base: String, head: String)
    }

    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two stored runs, or two builds or commands measured side by side.",
        discussion: """
            fetchbench compare results/A results/B
            fetchbench compare --base ./old/fetchbench --head ./new/fetchbench --asset hero --mode data,download
            fetchbench compare --base-program old/my-trials --head-program new/my-trials --asset 64MiB
            fetchbench compare --base-exec 'old {url} {file}' --head-exec 'new {url} {file}' --asset 64MiB
            fetchbench compare --base-exec './old x' --head-exec './new x'
            fetchbench compare --base-server './old {port}' --head-server './new {port}' --post /upload --body 64MiB

            Two builds or commands are measured in 12 interleaved pairs in random order. Apparent changes are confirmed \
            with 30 further pairs, and regressions are explained by function and line. Stored runs are compared as they \
            are: the more figures are compared, the more trials they need (three figures of one case: 6 per side).

            Exit status: 0 nothing worse; 1 regressed; 2 no answer; 64 usage error; 130 interrupted.
            """, aliases: ["diff"])

    @Argument(help: ArgumentHelp("Folders of two runs, the base first.", valueName: "run"), completion: .directory)
    var runs: [String] = []

    @Option(
        help: ArgumentHelp(
            "fetchbench binary to compare with, next to its trial programs (default: none).", valueName: "path"),
        completion: .file())
    var base: String?

    @Option(
        help: ArgumentHelp(
            "fetchbench binary to judge, next to its trial programs (default: none).", valueName: "path"),
        completion: .file())
    var head: String?

    @Option(
        help: ArgumentHelp(
            "Trial program to compare with; all its modes unless --mode is given (default: none).", valueName: "path"))
    var baseProgram: String?

    @Option(help: ArgumentHelp("Other build of that trial program, to judge (default: none).", valueName: "path"))
    var headProgram: String?

    @Option(help: ArgumentHelp("Command to compare with (default: none).", valueName: "command"))
    var baseExec: String?

    @Option(help: ArgumentHelp("Command to judge (default: none).", valueName: "command"))
    var headExec: String?

    @Option(help: ArgumentHelp("Server to compare with (default: none).", valueName: "command"))
    var baseServer: String?

    @Option(help: ArgumentHelp("Server to judge (default: none).", valueName: "command"))
    var headServer: String?

    @OptionGroup(title: "Options of servers")
    var server: ServerOptions

    @Option(
        help: ArgumentHelp(
            "Hold this much more memory in the head's fetches, in those of one mode, or from the start, to test detection.",
            valueName: "[mode=|start=]size", visibility: .hidden))
    var plant: [String] = []

    @Option(
        help: ArgumentHelp(
            "Interrupted comparison to finish; give both sides again (default: none).", valueName: "run"),
        completion: .directory)
    var resume: String?
    @Flag(
        inversion: .prefixedNo, help: "Explain each regression with two extra trials: which functions hold more.")
    var explain = true
    @Flag(help: "Compare stored runs even if their environments differ (noted in the report).")
    var allowMismatch = false

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @OptionGroup(title: "Plan options")
    var budgets: BudgetOptions

    @OptionGroup(title: "Plan options")
    var shard: ShardOptions

    @OptionGroup(title: "Output options")
    var verdict: VerdictOptions

    var measures: Bool { runs.isEmpty }

    func validate() throws {
        guard PlantedBallast(parsing: plant) != nil else {
            throw ValidationError("invalid --plant: expected a size such as 1MiB, download=1MiB or start=1MiB")
        }
        try plan.check(resuming: resume, verdict.run, budgets, shard)
        switch try subject() {
        case .runs:
            guard resume == nil else { throw ValidationError("--resume needs two builds or two commands") }
            guard plan.isEmpty, shard.text == nil else {
                throw ValidationError("plan options cannot be combined with stored runs")
            }
        case .commands:
            guard plan.modes.isEmpty, plan.commands.isEmpty, plan.servers.isEmpty else {
                throw ValidationError("two commands cannot be combined with --mode, --exec or --server: omit these")
            }
        case .binaries, .programs: break
        }
    }

    func namedPrograms() throws -> [String] {
        try [baseProgram, headProgram].compactMap(\.self) + plan.namedPrograms()
    }

    func checkPlan(_ programs: TrialPrograms) throws {
        if runs.isEmpty, resume == nil { _ = try pairedPlan(programs).request(programs, budgets: budgets) }
    }

    func run() async throws {
        if case .runs(let base, let head) = try subject() {
            return try VerdictDelivery(options: verdict, folder: nil).deliver(stored(base: base, head: head))
        }
        let harness = HarnessContext.here
        let measurement = try await shard.began { try await prepared(in: harness) }
        let console = MeasurementConsole(measurement, isQuiet: verdict.run.quiet)
        if let sharding = measurement.record.sharding {
            try await console.measured { try await measurement.measureBlocks(of: sharding, onEvent: $0) }
            try console.finished(at: harness.now())
            return Console.note(resultIn: measurement.folder)
        }
        let judged = try await console.measured { try await measurement.judged(onEvent: $0) }
        let run = try console.finished(at: harness.now()).run
        var judgement = Judgement(
            .interleaved, of: run, in: measurement.folder,
            findings: measurement.reproduction(programs: try plan.namedPrograms()).added(
                to: judged.findings + (try BudgetJudge.findings(ofHead: run))),
            warnings: judged.warnings, tool: BuildInformation.tool, at: harness.now())
        if explain { try await measurement.explain(&judgement, isQuiet: verdict.run.quiet) }
        try VerdictDelivery(options: verdict, folder: measurement.folder).deliver(judgement)
    }

    private func prepared(in harness: HarnessContext) async throws -> RunMeasurement {
        let (sides, programs) = try await sides()
        if let resume {
            var again: [ExternalCommand] = []
            if case .commands(_, let head) = sides.pair { again = [head] }
            return try plan.resumed(resume, .comparison, sides, besides: again, programs: programs, in: harness)
        }
        let request = try pairedPlan(programs).request(programs, budgets: budgets)
        let measured = try await request.announcedPlan(in: harness, showsProgress: verdict.run.showsProgress)
        return try await RunMeasurement.begun(
            .comparison, sides, of: request, measured,
            pairs: shard.text == nil ? JudgementRule.interleaved.n1 : Sharding.pairsOfBlock, shard: shard.shard,
            to: verdict.run.destination, in: harness)
    }

    private func sides() async throws -> (Sides, TrialPrograms) {
        let (pair, programs) = try await pair()
        return (Sides(pair, planted: PlantedBallast(parsing: plant) ?? PlantedBallast()), programs)
    }

    private func pair() async throws -> (Sides.Pair, TrialPrograms) {
        switch try subject() {
        case .commands(let base, let head):
            let programs = base.fetches || head.fetches ? try await plan.programs() : TrialPrograms(executables: [])
            return (.commands(base: base, head: head), programs)
        case .binaries(let base, let head):
            let first = try await programs(beside: base)
            return (.programs(base: first, head: try await programs(beside: head)), first)
        case .programs(let base, let head):
            let first = try await HarnessContext.here.announcedPrograms(named: [base] + plan.namedPrograms())
            let second = try await HarnessContext.here.programs(named: [head] + plan.namedPrograms())
            return (.programs(base: first, head: second, areNamed: true), first)
        case .runs: preconditionFailure("stored runs are not measured")
        }
    }

    private func programs(beside path: String) async throws -> TrialPrograms {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError(
                "'\(SafeText.forTerminal(path))' is not an executable program; expected a built fetchbench")
        }
        let programs = try await HarnessContext.here.programs(named: plan.namedPrograms(), beside: path)
        guard !programs.executables.isEmpty else {
            throw ValidationError(
                "no trial program next to '\(SafeText.forTerminal(path))', which has to be a fetchbench binary; compare other commands "
                    + "with --base-exec and --head-exec"
            )
        }
        return programs
    }

    private func stored(base: String, head: String) throws -> Judgement {
        let base = try RunStore.load(RunFolder(existing: base), kinds: [.run, .check])
        let head = try RunStore.load(RunFolder(existing: head), kinds: [.run, .check])
        let harness = HarnessContext.here
        var judgement = StoredComparison(base: base, head: head, allowsMismatch: allowMismatch)
            .judgement(tool: BuildInformation.tool, at: harness.now())
        var limited = head
        limited.budgets = try budgets.checked(of: head.metrics)
        judgement.findings = Reproduction.run(stored: head, redaction: harness.shellRedaction)
            .added(to: judgement.findings + (try BudgetJudge.findings(ofHead: limited)))
        return judgement
    }

    /// The plan of both sides: a command replaces the modes; a named program is compared by its own modes.
    private func pairedPlan(_ programs: TrialPrograms) throws -> PlanOptions {
        var plan = plan
        switch try subject() {
        case .commands(_, let head):
            guard head.server != nil else {
                plan.commands = ["\(head.name)=\(head.command)"]
                break
            }
            try server.add([head.command], to: &plan)
        case .programs where try plan.words().words.given(.modes).isEmpty:
            plan.modes = programs.executables.first?.description.modes.map(\.name) ?? []
        case .programs, .binaries, .runs: break
        }
        return plan
    }

    private func subject() throws -> Subject {
        let ways = [
            !runs.isEmpty, base != nil || head != nil, baseProgram != nil || headProgram != nil,
            baseExec != nil || headExec != nil, baseServer != nil || headServer != nil,
        ]
        guard ways.count(where: { $0 }) == 1 else {
            throw ValidationError("expected two runs, or \(Self.pairs)")
        }
        if !runs.isEmpty {
            guard runs.count == 2 else { throw ValidationError("expected two runs, got \(runs.count)") }
            return .runs(runs[0], runs[1])
        }
        if let base, let head { return .binaries(base: base, head: head) }
        if let baseExec, let headExec {
            let (base, head) = (try command(baseExec), try command(headExec))
            guard base.fetches == head.fetches else {
                throw ValidationError("--base-exec and --head-exec must both contain {url}, or neither")
            }
            return .commands(base: base, head: head)
        }
        if let baseServer, let headServer {
            let (base, head) = try (server.command(baseServer, of: plan), server.command(headServer, of: plan))
            return .commands(base: base, head: head)
        }
        if let baseProgram, let headProgram { return .programs(base: baseProgram, head: headProgram) }
        throw ValidationError("one side is missing: expected \(Self.pairs)")
    }

    private static let pairs =
        "--base and --head, --base-program and --head-program, --base-exec and --head-exec, or --base-server and --head-server"

    /// Parses a command under one name for both sides, which makes them the same case.
    private func command(_ text: String) throws -> ExternalCommand {
        let safe = RedactedCommand(folders: [:]).text(text)
        do {
            let command = try ExternalCommand(parsing: "command=" + text)
            if !command.fetches { try Usage.checked { try ExternalCommand(name: safe, command: text).check(with: []) } }
            return command
        } catch let error as FetchBenchError {
            throw ValidationError("command \(SafeText.ofCommand(safe)): \(error)")
        }
    }
}
