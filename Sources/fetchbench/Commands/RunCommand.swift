// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Reports

struct RunCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measure the peak memory of fetches, given by flags or a suite, and store the results.",
        discussion: """
            fetchbench run --mode data,download,stream --asset 16MiB
            fetchbench run --url https://host/big.jpg --mode download --explain

            Without --url, the embedded origin serves the assets. Every trial is a fresh process, measured from outside. \
            The run's folder contains run.json, trials.jsonl, trials.csv, samples.csv, summary.csv, report.md and \
            report.html (slopes.csv for a sweep of sizes, allocator.csv with --allocator-series).

            Exit status: 0 measured; 1 over a --budget; 2 no answer (trials failed); 64 usage error; 75 try the \
            shard again; 130 interrupted (trials are kept).
            """)

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @OptionGroup(title: "Plan options")
    var budgets: BudgetOptions

    @Option(help: ArgumentHelp("Interrupted run to finish (default: none).", valueName: "run"), completion: .directory)
    var resume: String?

    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp("Stored plan of `fetchbench plan` (default: none).", valueName: "file"),
        completion: .file())
    var planFile: String?

    @OptionGroup(title: "Plan options")
    var shard: ShardOptions

    @OptionGroup(title: "Output options")
    var options: RunOptions

    @Flag(help: "Also explain which functions hold each peak, with two extra trials of each case.")
    var explain = false

    @Flag(
        help: ArgumentHelp(
            "Also record the allocator's statistics over time, in one extra trial of each case (allocator.csv, report)."
        ))
    var allocatorSeries = false

    @Option(
        help: ArgumentHelp(
            "Hold this much memory in the harness, to test that it does not affect trials.", valueName: "size",
            visibility: .hidden))
    var ballast: String?

    func validate() throws {
        guard ballast == nil || ballastSize != nil else {
            throw ValidationError("invalid --ballast: expected a size such as 300MiB")
        }
        try plan.check(resuming: resume, options, budgets, shard)
        if planFile != nil { try plan.checkBeside(stored: "--plan", budgets) }
        guard planFile == nil || resume == nil else {
            throw ValidationError("--resume uses the stored plan; omit --plan")
        }
    }

    func run() async throws {
        let ballast = [UInt8](repeating: 1, count: ballastSize?.rawValue ?? 0)
        defer { withExtendedLifetime(ballast) {} }
        let harness = HarnessContext.here
        // Fail before hours of trials, not after them.
        if explain { _ = try RecorderLibrary(beside: harness.executable) }
        let measurement = try await shard.began { try await prepared(in: harness) }
        try await RunDelivery(
            isQuiet: options.quiet, showsProgress: options.showsProgress, formats: [Formats.runTable],
            color: options.color.color, extras: extras
        ).deliver(measurement)
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if resume == nil, planFile == nil { _ = try plan.request(programs, budgets: budgets) }
    }

    private var extras: [RunDelivery.Extra] {
        (explain ? [.explain] : []) + (allocatorSeries ? [.allocatorSeries] : [])
    }

    private var ballastSize: ByteCount? { ballast.flatMap { ByteCount(parsing: $0) } }

    private func prepared(in harness: HarnessContext) async throws -> RunMeasurement {
        let programs = try await plan.programs(isStored: resume != nil || planFile != nil)
        if let resume {
            // Extras can be added to a finished run.
            return try plan.resumed(resume, .run, evenIfFinished: !extras.isEmpty, programs: programs, in: harness)
        }
        if let file = planFile {
            return try await RunMeasurement.begun(
                PlanFile.load(file), programs, shard: shard.shard, to: options.destination, in: harness
            ) { try plan.inputs(of: $0, programs: programs, in: harness) }
        }
        let request = try plan.request(programs, budgets: budgets)
        return try await RunMeasurement.begun(
            .run, of: request, request.announcedPlan(in: harness, showsProgress: options.showsProgress),
            shard: shard.shard, to: options.destination, in: harness)
    }
}
