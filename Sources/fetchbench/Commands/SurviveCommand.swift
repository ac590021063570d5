// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandConsole
import Foundation
import Measuring
import MemProbe
import OperatingSystem
import Reports
import Runs
import TrialKit

/// `fetchbench survive`: finds the smallest memory limit under which modes, scenarios and commands still succeed.
struct SurviveCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "survive",
        abstract: "Find the smallest memory limit of a container under which something still succeeds.",
        discussion: """
            fetchbench survive 'sort big.txt'
            fetchbench survive --mode data,download --asset 64MiB

            Each trial runs in a control group of its own, as in a container. Limits are bisected until the smallest is \
            known to 1 MiB; there, --trials trials have to survive. A trial that fails without having reached its limit is \
            repeated and counted. Then limits from there upwards, also beyond what is used without one, are compared in \
            time with trials without a limit, in turn: near the edge a program does not fail, it crawls, and some size \
            themselves by their limit. Then the same with the files of the program dropped from the page cache before each \
            trial, as in a new container, which has to read them. Bodies are verified by length unless --verify is given. \
            Needs control groups (`fetchbench doctor`). Nothing is stored.

            Exit status: 0 found for every case; 2 no answer (a case fails without a limit or by itself, leaves its control \
            group, leaves memory behind, or reaches the limit of a group above; or no control group can be made); 64 usage \
            error; 130 interrupted.
            """)

    @Argument(
        help: ArgumentHelp("Commands, each quoted as one argument (default: --mode).", valueName: "command")
    )
    var commands: [String] = []

    @Option(
        help: ArgumentHelp(
            "Command to run before each trial of a command, unmeasured (default: none).", valueName: "command"))
    var prepare: [String] = []

    @Option(
        help: ArgumentHelp("Output formats: \(Usage.names(of: Formats.ofSurvival)).", valueName: "formats"),
        completion: .list(Formats.ofSurvival.map { $0.name }))
    var format: [String] = ["table"]

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @Flag(help: "Print only the result and errors.")
    var quiet = false

    func validate() throws {
        _ = try formats()
        guard plan.conditions.words[Dimension.containerLimit.flag] == nil else {
            throw ValidationError(
                "omit --container-limit, which survive finds; `fetchbench run` measures under a given one")
        }
        guard prepare.isEmpty || !commands.isEmpty else {
            throw ValidationError("--prepare needs a command to prepare")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws { _ = try request(programs) }

    func run() async throws {
        let formats = try formats()
        let harness = HarnessContext.here
        // Before anything is prepared: without control groups there is no answer.
        _ = try ControlGroupAbility.session()
        let request = try request(commands.isEmpty ? await plan.programs() : TrialPrograms(executables: []))
        var plan = try await request.announcedPlan(in: harness, showsProgress: !quiet)
        let given = Set(self.plan.settings.words.keys).union(request.words.suite?.settings.keys.map(\.self) ?? [])
        // A hash would read a fetched file again, which no client does.
        if !given.contains("verify") { plan.settings.verification = .length }
        try request.programs.check(plan)
        let place = try? ControlGroupPlace.here.get()
        let table = SurvivalTable(
            tool: BuildInformation.tool, measuredAt: harness.now(), trials: plan.trials, seed: plan.seed,
            environment: harness.machine().stamped(await harness.revision()),
            controlGroups: place?.version.rawValue ?? 0, swap: EnvironmentProbe.swap,
            limitAbove: place?.limit.flatMap { limit in
                EnvironmentProbe.memory().map { limit < $0 } == true ? limit : nil
            },
            cases: try await cases(of: plan, request.inputs(in: harness)))
        for format in formats { try Console.answer(format.text(of: table)) }
        guard table.isComplete else { throw ExitStatus.noAnswer }
    }

    private func cases(of plan: Plan, _ inputs: TrialInputs) async throws -> [Survival] {
        let display = ProgressDisplay(.here(isShown: !quiet), "preparing")
        defer { display.finish() }
        do {
            return try await whileListeningForSignals {
                try await inputs.hosted(for: plan) { inputs in
                    try await SurvivalRunner(plan, inputs).run { display.show($0) }
                }
            }
        } catch is CancellationError {
            display.finish()
            Console.note("interrupted; no result is shown")
            throw ExitStatus.interrupted
        }
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        guard !commands.isEmpty else { return try plan.request(programs) }
        return try Usage.checked {
            var (words, _) = try plan.words()
            var request = CommandsRequest(commands: commands)
            request.preparations = prepare
            words.plainCommands = try request.plainCommands(redaction: HarnessContext.here.redaction)
            return try PlanRequest(words, programs)
        }
    }

    private func formats() throws -> [any TextRenderer<SurvivalTable>] {
        try Usage.formats(format, among: Formats.ofSurvival) { $0.name }
    }
}
