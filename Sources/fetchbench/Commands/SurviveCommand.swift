// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Reports

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
            Needs control groups (`fetchbench doctor`). Each trial is stored as it ends; `fetchbench report` prints the \
            answer again.

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

    @OptionGroup
    var format: FormatOptions<SurvivalFormats>

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @Option(
        help: ArgumentHelp("Interrupted search to finish (default: none).", valueName: "run"), completion: .directory)
    var resume: String?

    @OptionGroup(title: "Output options")
    var options: RunOptions

    func validate() throws {
        try plan.check(resuming: resume, options)
        guard plan.conditions.words[Dimension.containerLimit.flag] == nil else {
            throw ValidationError(
                "omit --container-limit, which survive finds; `fetchbench run` measures under a given one")
        }
        guard prepare.isEmpty || !commands.isEmpty else {
            throw ValidationError("--prepare needs a command to prepare")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if resume == nil { _ = try request(programs) }
    }

    func run() async throws {
        let formats = try format.formats
        let harness = HarnessContext.here
        // Before anything is prepared: without control groups there is no answer.
        _ = try ControlGroupAbility.session()
        let measurement = try await prepared(in: harness)
        let console = MeasurementConsole(
            measurement, isQuiet: options.quiet, showsProgress: options.showsProgress,
            takesCommands: !measurement.record.plan.plainCases.isEmpty)
        let cases = try await console.measured { try await measurement.survivals(onEvent: $0) }
        let place = try? ControlGroupPlace.here.get()
        let table = SurvivalTable(
            of: try console.finished(at: harness.now()).run, controlGroups: place?.version.rawValue ?? 0,
            swap: EnvironmentProbe.swap,
            limitAbove: place?.limit.flatMap { limit in
                EnvironmentProbe.memory().map { limit < $0 } == true ? limit : nil
            },
            cases: cases)
        for format in Formats.ofSurvival {
            if let file = format.file { try measurement.folder.write(format.pieces(of: table), to: file) }
        }
        for format in formats { try Console.answer(format.text(of: table)) }
        if !options.quiet { Console.note(resultIn: measurement.folder) }
        guard table.isComplete else { throw ExitCode.noAnswer }
    }

    private func prepared(in harness: HarnessContext) async throws -> RunMeasurement {
        let programs =
            commands.isEmpty ? try await plan.programs(isStored: resume != nil) : TrialPrograms(executables: [])
        if let resume {
            return try plan.resumed(
                resume, .survival, besides: commands.isEmpty ? [] : plainCommands(), programs: programs, in: harness)
        }
        let request = try request(programs)
        var measured = try await request.announcedPlan(in: harness, showsProgress: options.showsProgress)
        let given = Set(plan.settings.words.keys).union(request.words.suite?.settings.keys.map(\.self) ?? [])
        // A hash would read a fetched file again, which no client does.
        if !given.contains("verify") { measured.settings.verification = .length }
        return try await RunMeasurement.begun(
            .survival, of: request, measured,
            reproduce: { commands.isEmpty ? $0.command(["survive"]) : $0.execCommand("survive") },
            to: options.destination, in: harness)
    }

    private func plainCommands() throws -> [ExternalCommand] {
        var request = CommandsRequest(commands: commands)
        request.preparations = prepare
        return try request.plainCommands(redaction: HarnessContext.here.redaction)
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        guard !commands.isEmpty else { return try plan.request(programs) }
        return try Usage.checked {
            var (words, _) = try plan.words()
            words.plainCommands = try plainCommands()
            return try PlanRequest(words, programs)
        }
    }
}
