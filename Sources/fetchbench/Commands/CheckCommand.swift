// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging

/// `fetchbench check`: judges budgets and baseline; the exit status is the verdict.
struct CheckCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Measure a suite and check it against budgets and a stored baseline.",
        discussion: """
            fetchbench check
            fetchbench check --suite fetchbench.yml --update

            Budgets apply on every machine. The baseline is compared only in the same environment and was measured earlier, \
            so changes below 2 % of the net peak, or 1 MiB, are not judged; `compare` measures two builds side by side and \
            detects smaller ones. Without a baseline only the budgets are checked.

            Exit status: 0 within limits; 1 regressed or over budget; 2 no answer or inconclusive; 64 usage error; 130 interrupted.
            """)

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @OptionGroup(title: "Plan options")
    var budgets: BudgetOptions

    @Option(
        help: ArgumentHelp("Stored baseline (default: \(BaselineChoice.usualPath)).", valueName: "file"),
        completion: .file())
    var baseline: String?

    @Flag(help: "Check only the budgets.")
    var noBaseline = false

    @Flag(
        help: """
            Write the results as the new baseline, and show the changes. This accepts changes above their limits; slow \
            growth in smaller steps still counts from the last accepted one (its anchor).
            """)
    var update = false

    @Flag(help: "With --update: also restart the measurement of slow drift from this run.")
    var resetAnchor = false

    @Option(
        help: ArgumentHelp(
            "File to append the medians to; warns of steps in its series (default: none).", valueName: "file"),
        completion: .file())
    var history: String?

    @Option(
        help: ArgumentHelp("Interrupted check to finish (default: none).", valueName: "run"), completion: .directory)
    var resume: String?
    @Flag(help: "Compare even if the baseline's environment differs (noted in the report).")
    var allowMismatch = false

    @OptionGroup(title: "Plan options")
    var shard: ShardOptions

    @OptionGroup(title: "Output options")
    var verdict: VerdictOptions

    func validate() throws {
        guard !(noBaseline && update) else { throw ValidationError("--no-baseline and --update cannot be combined") }
        guard update || !resetAnchor else { throw ValidationError("--reset-anchor needs --update") }
        try plan.check(resuming: resume, verdict.run, budgets, shard)
        guard shard.text == nil || (!update && history == nil && baseline == nil) else {
            throw ValidationError(
                "--shard only measures and cannot be combined with --update, --history and --baseline; give --baseline to "
                    + "`fetchbench merge`")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if resume == nil { _ = try request(programs) }
    }

    func run() async throws {
        let harness = HarnessContext.here
        let points = try history.map { try History.points(at: $0) }
        let (measurement, choice) = try await shard.began { try await prepared(in: harness) }
        let console = MeasurementConsole(measurement, isQuiet: verdict.run.quiet, with: flagsToRepeat)
        let run = try await console.run().run
        // All shards together are judged when they are merged.
        if run.sharding?.number != nil { return Console.note(resultIn: measurement.folder) }
        var findings = try BudgetJudge.findings(for: run.parsedBudgets(), in: run).map(\.finding)
        var warnings = run.warnings
        let absence = choice.absence(for: run)
        if update {
            try write(choice, run)
        } else if let absence {
            warnings.append(absence)
        } else if let baseline = choice.baseline {
            let judged = try await self.judged(run, by: baseline, console)
            findings += judged.findings
            warnings += judged.warnings
        }
        findings = Reproduction.run(
            run.plan, commands: measurement.inputs.commands, programs: measurement.inputs.named,
            redaction: harness.shellRedaction
        ).added(to: findings)
        let past = try appended(run, to: points, isAgain: measurement.record.finishedAt != nil)
        warnings += History.warnings(about: past)
        let base = absence == nil ? choice.baseline.map { $0.commit ?? "baseline" } : nil
        let judgement = Judgement(
            .check, of: run, in: measurement.folder, against: base ?? "budgets", findings: findings,
            warnings: warnings, history: past, tool: BuildInformation.tool, at: harness.now())
        let delivery = try VerdictDelivery(options: verdict, folder: measurement.folder)
        if update, findings.isEmpty { return try delivery.store(judgement) }
        try delivery.deliver(judgement)
    }

    /// Appends a run to the history, if there is one, and returns the result.
    /// - Parameter isAgain: True if the run was measured before, so that the history may have it already.
    private func appended(
        _ run: RunRecord, to points: [HistoryPoint]?, isAgain: Bool
    ) throws -> [HistoryPoint] {
        guard let history, let points else { return [] }
        let point = HistoryPoint(of: run)
        if isAgain, points.contains(where: { $0.measuredAt == point.measuredAt && $0.commit == point.commit }) {
            return points
        }
        try History.append(point, to: history)
        return points + [point]
    }

    private func prepared(
        in harness: HarnessContext
    ) async throws -> (RunMeasurement, BaselineChoice) {
        let programs = try await plan.programs(isStored: resume != nil)
        if let resume {
            let measurement = try plan.resumed(resume, .check, programs: programs, in: harness)
            let hasBudgets = measurement.record.budgets?.isEmpty == false
            return (measurement, try choice(hasBudgets: hasBudgets))
        }
        let request = try request(programs)
        let choice = try choice(hasBudgets: !request.budgets.isEmpty)
        let measurement = try await RunMeasurement.begun(
            .check, of: request, request.announcedPlan(in: harness, showsProgress: verdict.run.showsProgress),
            shard: shard.shard,
            to: verdict.run.destination, in: harness)
        return (measurement, choice)
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        var plan = plan
        if plan.isEmpty { plan.suite = SuiteShelf.check }
        var request = try plan.request(programs, budgets: budgets)
        let trials = Setting.trials
        if plan.settings.words[trials.flag] == nil, request.words.suite?.settings[trials.suiteKey] == nil {
            request.values.trials = JudgementRule.storedBaseline.n1
        }
        guard noBaseline == false || !request.budgets.isEmpty else {
            throw ValidationError(
                "nothing to check: the suite has no budgets, and --no-baseline excludes the baseline; add --budget 'peak <= 100 MiB'"
            )
        }
        return request
    }

    private func choice(hasBudgets: Bool) throws -> BaselineChoice {
        guard !noBaseline, shard.text == nil else { return .none }
        let choice = try BaselineChoice(named: baseline, isReplaced: update, hasBudgets: hasBudgets)
        choice.warnings.forEach { Console.warn($0) }
        return choice
    }

    /// Judges a run by a stored baseline; apparent changes are confirmed by a second measurement.
    private func judged(
        _ run: RunRecord, by baseline: Baseline, _ console: MeasurementConsole
    ) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        let comparison = BaselineComparison(
            baseline: baseline, run: run, allowsMismatch: allowMismatch,
            judge: .ofStoredBaseline(run))
        let suspects = comparison.suspects
        guard !suspects.isEmpty else { return (comparison.findingsWithoutSuspects, comparison.warnings) }
        var second = MeasurementConsole(
            try console.measurement.confirming(run, of: suspects), isQuiet: verdict.run.quiet)
        // An interrupted confirmation is resumed by the check, which finds these trials again.
        second.again = console.again
        return (comparison.findings(confirmedBy: try await second.run().run), comparison.warnings)
    }

    /// The flags that this check is judged by, which resuming needs again.
    private var flagsToRepeat: [String] {
        var flags: [String] = []
        if let baseline { flags.append("--baseline " + ShellWord.pasted(baseline)) }
        if let history { flags.append("--history " + ShellWord.pasted(history)) }
        for (isGiven, flag) in [
            (noBaseline, "--no-baseline"), (update, "--update"), (resetAnchor, "--reset-anchor"),
            (allowMismatch, "--allow-mismatch"),
        ] where isGiven { flags.append(flag) }
        return flags
    }

    private func write(_ choice: BaselineChoice, _ run: RunRecord) throws {
        guard let new = choice.replacement(by: run, resetsAnchor: resetAnchor) else {
            Console.complain(
                "the baseline was not written to \(choice.path), because some trials failed")
            throw ExitCode.noAnswer
        }
        try WholeFile.write(new.baseline.text(), to: choice.path, name: choice.path)
        try Console.answer(new.difference)
    }
}
