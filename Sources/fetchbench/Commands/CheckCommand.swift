// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit
import Foundation
import Statistics

/// `fetchbench check`: budgets and baseline; the exit status is the verdict.
struct CheckCommand: AsyncParsableCommand, PlannedCommand {
    /// Where the baseline is that nobody names.
    private static let usualBaseline = "results/baseline.json"

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Measure a suite and judge it by its budgets and a stored baseline.",
        discussion: """
            Budgets hold on every machine. The baseline is compared only where the environment is the same; it was
            measured at another time, so changes below 2 % of the net peak, or 1 MiB, are not judged: `compare` interleaves
            two builds and sees less.
            Without a stored baseline a suite is judged by its budgets, and that is said; one that is named has to be there.
            Exit status: 0 within limits, 1 regressed or over budget, 2 no answer, 64 wrong usage, 130 interrupted.
            """)

    @OptionGroup(title: "What to measure")
    var plan: PlanOptions

    @Option(help: ArgumentHelp("The stored baseline (default: \(Self.usualBaseline)).", valueName: "file"))
    var baseline: String?

    @Flag(help: "Judge the budgets alone.")
    var noBaseline = false

    @Flag(help: "Write what is measured as the new baseline, and show what changes.")
    var update = false

    @Flag(help: "With --update: count drift from what is measured now, not from the first baseline.")
    var resetAnchor = false

    @Option(help: ArgumentHelp("Append the medians to this file and warn of steps in its series.", valueName: "file"))
    var history: String?

    @Flag(help: "Compare with a baseline of another environment all the same; the report says so.")
    var allowMismatch = false

    @OptionGroup(title: "What to say")
    var verdict: VerdictOptions

    func validate() throws {
        guard !(noBaseline && update) else { throw ValidationError("--no-baseline and --update exclude each other") }
        guard update || !resetAnchor else { throw ValidationError("--reset-anchor goes with --update") }
    }

    func checkPlan(_ programs: TrialPrograms) throws {
        _ = try request(programs)
    }

    func run() async throws {
        let request = try request(await plan.programs())
        let older = try readBaseline(orOf: request)
        let points = try history.map { try History.points(at: $0) }
        let session = try await RunSession(request, output: verdict.output, label: verdict.label)
        let run = try await session.measured(isQuiet: verdict.quiet)
        var findings = BudgetJudge.findings(for: request.budgets, in: run).map(\.finding)
        var warnings = run.warnings
        let missing = missingBaseline(older, for: run, request)
        if update {
            try write(run, after: older)
        } else if let missing {
            warnings.append(missing)
        } else if let older {
            let judged = try await BaselineSession(
                baseline: older, run: run, request: request, allowsMismatch: allowMismatch, verdict: verdict
            ).judged()
            findings += judged.findings
            warnings += judged.warnings
        }
        findings = Reproduction.run(run.plan, commands: request.commands, programs: request.programPaths).added(
            to: findings)
        if let history, let points {
            let point = HistoryPoint(of: run)
            try History.append(point, to: history)
            warnings += History.warnings(about: points + [point])
        }
        let judgement = Judgement(
            tool: BuildInformation.tool, kind: .check,
            baseName: missing != nil || older == nil ? "budgets" : older?.commit ?? "baseline",
            headName: run.identifier, judgedAt: Surroundings.now().text, seed: run.plan.seed, findings: findings,
            warnings: warnings, environment: run.environment)
        if update, findings.isEmpty { return }
        try VerdictDelivery(options: verdict, folder: session.folder).deliver(judgement)
    }

    private func request(_ programs: TrialPrograms) throws -> PlanRequest {
        var plan = plan
        if plan.isEmpty { plan.suite = SuiteShelf.check }
        var request = try PlanRequest(plan, programs)
        if plan.trials == nil, request.suiteTrials == nil { request.trials = JudgementRule.storedBaseline.n1 }
        guard noBaseline == false || !request.budgets.isEmpty else {
            throw ValidationError(
                "nothing to judge: the suite has no budgets, and --no-baseline leaves the baseline out")
        }
        return request
    }

    /// The path of the baseline, named or usual.
    private var baselinePath: String { baseline ?? Self.usualBaseline }

    /// The baseline is read before anything is measured: a mistake in it should not cost a minute.
    private func readBaseline(orOf request: PlanRequest) throws -> Baseline? {
        guard !noBaseline else { return nil }
        do {
            return try Baseline(parsing: WholeFile.data(at: baselinePath, name: baselinePath))
        } catch {
            return try replaced(error, orOf: request)
        }
    }

    /// What is missing or cannot be read is no obstacle to a new baseline, and what nobody named none to budgets.
    private func replaced(_ error: FetchBenchError, orOf request: PlanRequest) throws -> Baseline? {
        if case .cannotRead(_, ENOENT) = error {
            guard update || isOptional(in: request) else { throw FetchBenchError.noBaseline(path: baselinePath) }
            return nil
        }
        guard update, case .malformedBaseline(let reason) = error else { throw error }
        Console.warn("the older baseline is replaced unread: \(reason)")
        return nil
    }

    /// Whether a suite can be judged without its baseline: it has budgets, and nobody named a baseline.
    private func isOptional(in request: PlanRequest) -> Bool {
        baseline == nil && !request.budgets.isEmpty
    }

    /// Says that there is nothing to compare with, where the budgets alone are the judgement; else `nil`.
    private func missingBaseline(_ older: Baseline?, for run: RunRecord, _ request: PlanRequest) -> RunWarning? {
        guard !noBaseline, !update, isOptional(in: request) else { return nil }
        let cells = run.plan.cases.filter { $0.mode != Case.nullMode }.map(\.identifier)
        let known = older.map { older in cells.contains { older.cases[$0] != nil } }
        guard known != true else { return nil }
        let what = known == nil ? "there is no \(baselinePath)" : "\(baselinePath) has no case of this suite"
        return RunWarning(
            "\(what): judged by the budgets alone",
            remedy: "`fetchbench check --update --baseline FILE` writes a baseline to name in --baseline")
    }

    /// Writes the new baseline, and shows what changes.
    private func write(_ run: RunRecord, after older: Baseline?) throws {
        guard run.trials.allSatisfy(\.isCompleted) else {
            Console.complain(
                "not every trial completed, so this is no baseline; nothing was written to \(baselinePath)")
            throw ExitStatus.noAnswer
        }
        let newer = Baseline(of: run, after: resetAnchor ? nil : older)
        try WholeFile.write(newer.text(), to: baselinePath, name: baselinePath)
        try Console.answer(BaselineDifference(older: older, newer: newer).text)
    }
}
