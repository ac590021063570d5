// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Glibc
import Judging

/// `fetchbench plan`: stores a plan for many machines, or says how long it takes.
struct PlanCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Store a plan for many machines, or estimate how long it takes.",
        discussion: """
            fetchbench plan --suite default --output plan.json
            fetchbench plan --suite default --estimate

            The file contains everything that determines the trials: cases, seed, settings and the hashes of the assets. Each machine measures \
            its part with `run --plan plan.json --shard 3/8`. No secrets are stored: give --header, --url and --exec again there.

            Exit status: 0 done; 2 trials failed, or the file cannot be written; 64 usage error; 130 interrupted.
            """)

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @OptionGroup(title: "Plan options")
    var budgets: BudgetOptions

    @Option(
        help: ArgumentHelp("File for the plan (default: standard output).", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Measure one trial of each case, and print the time for 1, 2, 4, … shards instead of the plan.")
    var estimate = false

    var measures: Bool { estimate }

    func validate() throws {
        guard output == nil || !estimate else {
            throw ValidationError("--estimate stores nothing and cannot be combined with --output")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws { _ = try plan.request(programs, budgets: budgets) }

    func run() async throws {
        let harness = HarnessContext.here
        let request = try await plan.request(plan.programs(), budgets: budgets)
        let planned = try await request.announcedPlan(in: harness, showsProgress: true)
        try request.programs.check(planned)
        guard !estimate else { return try Console.answer(await table(of: planned, request, harness).plain) }
        var file = try PlanFile(
            tool: BuildInformation.tool, reproduce: PlanFlags(request, redaction: harness.shellRedaction).command(),
            suite: request.words.suite?.name, plan: planned)
        file.budgets = request.givenBudgets.isEmpty ? nil : request.givenBudgets.map(\.text)
        file.noise = request.noise.values.isEmpty ? nil : request.noise
        guard let output else { return try Console.answer(file.text()) }
        // Another plan than that of the shards that are running would be merged with them by nobody.
        guard !FileManager.default.fileExists(atPath: output) else {
            throw FetchBenchError.cannotWrite(name: output, errno: EEXIST)
        }
        try WholeFile.write(file.text(), to: output, name: output)
        Console.note(
            "plan \(file.hash.prefix(12)): \(planned.cases.count) cases × \(planned.trials) trials in "
                + ShellWord.pasted(output))
    }

    /// Measures one trial of each case in a temporary folder, and returns the times of shards.
    private func table(
        of plan: Plan, _ request: PlanRequest, _ harness: HarnessContext
    ) async throws -> TextTable {
        var once = plan
        once.trials = 1
        let clock = ContinuousClock()
        let (run, elapsed) = try await TemporaryFolder.with(in: harness.temporaryDirectory) { [once] folder in
            let measurement = try await RunMeasurement.begun(
                .run, of: request, once, to: RunMeasurement.Destination(output: folder, label: nil), in: harness)
            var console = MeasurementConsole(measurement, isQuiet: false)
            console.onlyShownAs = []
            let start = clock.now
            let run = try await console.run().run
            return (run, clock.now - start)
        }
        if let failed = run.trials.first(where: { !$0.isCompleted }) {
            Console.complain("\(failed.cell.identifier): \(failed.outcome.kind.rawValue): \(failed.outcome.detail)")
            throw ExitCode.noAnswer
        }
        let own = run.trials.map { ($0.cell, Double($0.processNanoseconds) / 1e9) }
        // The time between two trials counts as well.
        let rest = max(0, elapsed / .seconds(1) - own.reduce(0) { $0 + $1.1 }) / Double(max(own.count, 1))
        let seconds = Dictionary(own.map { ($0.0, $0.1 + rest) }) { first, _ in first }
        var table = TextTable(["shards", "most trials", "time"], words: 0)
        table.rows = PlanFile.PlanEstimate(of: plan, seconds: seconds).shares.map { share in
            ["\(share.shards)", "\(share.trials)", DurationText.clock(.seconds(share.seconds))]
        }
        return table
    }
}
