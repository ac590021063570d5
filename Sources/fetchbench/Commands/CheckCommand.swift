// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit
import Foundation

/// `fetchbench check`: budgets and baseline; the exit status is the verdict.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Measure a suite and judge it by its budgets and a stored baseline.",
        discussion: """
            Budgets hold on every machine. The baseline is compared only where the environment is the same; it was
            measured at another time, so changes below 5 % are not judged: `compare` interleaves two builds and sees less.
            Exit status: 0 within limits, 1 regressed or over budget, 2 no answer, 64 wrong usage, 130 interrupted.
            """)

    @OptionGroup(title: "What to measure")
    var plan: PlanOptions

    @Option(help: ArgumentHelp("The stored baseline.", valueName: "file"))
    var baseline = "results/baseline.json"

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
        _ = try request()
    }

    func run() async throws {
        let request = try request()
        let older = try readBaseline()
        let points = try history.map { try History.points(at: $0) }
        let session = try await RunSession(request, output: verdict.output, label: verdict.label)
        let run = try await session.measured(isQuiet: verdict.quiet)
        var findings = BudgetJudge.findings(for: request.budgets, in: run).map(\.finding)
        var warnings = run.warnings
        if update {
            guard run.trials.allSatisfy(\.isCompleted) else {
                Console.complain(
                    "not every trial completed, so this is no baseline; nothing was written to \(baseline)")
                throw ExitStatus.noAnswer
            }
            try write(Baseline(of: run, after: resetAnchor ? nil : older), after: older)
        } else if let older {
            let judged = try await BaselineSession(
                baseline: older, run: run, request: request, allowsMismatch: allowMismatch, verdict: verdict
            ).judged()
            findings += judged.findings
            warnings += judged.warnings
        }
        findings = Reproduction.run(run.plan, commands: request.commands).added(to: findings)
        if let history, let points {
            let point = HistoryPoint(of: run)
            try History.append(point, to: history)
            warnings += History.warnings(about: points + [point])
        }
        let judgement = Judgement(
            tool: BuildInformation.tool, kind: .check,
            baseName: older?.commit ?? (older == nil ? "budgets" : "baseline"),
            headName: run.identifier, judgedAt: Surroundings.now().text, seed: run.plan.seed, findings: findings,
            warnings: warnings, environment: run.environment)
        if update, findings.isEmpty { return }
        try VerdictDelivery(options: verdict, folder: session.folder).deliver(judgement)
    }

    private func request() throws -> PlanRequest {
        var plan = plan
        if plan.isEmpty { plan.suite = SuiteShelf.check }
        var request = try PlanRequest(plan)
        if plan.trials == nil, request.suiteTrials == nil { request.trials = JudgementRule.storedBaseline.n1 }
        guard noBaseline == false || !request.budgets.isEmpty else {
            throw ValidationError(
                "nothing to judge: the suite has no budgets, and --no-baseline leaves the baseline out")
        }
        return request
    }

    /// The baseline is read before anything is measured: a mistake in it should not cost a minute.
    private func readBaseline() throws -> Baseline? {
        guard !noBaseline else { return nil }
        do {
            return try Baseline(parsing: WholeFile.data(at: baseline, name: baseline))
        } catch {
            return try replaced(error)
        }
    }

    /// What is missing or cannot be read is no obstacle to a new baseline.
    private func replaced(_ error: FetchBenchError) throws -> Baseline? {
        if case .cannotRead(_, ENOENT) = error {
            guard update else { throw FetchBenchError.noBaseline(path: baseline) }
            return nil
        }
        guard update, case .malformedBaseline(let reason) = error else { throw error }
        Console.warn("the older baseline is replaced unread: \(reason)")
        return nil
    }

    private func write(_ newer: Baseline, after older: Baseline?) throws {
        try WholeFile.write(newer.text(), to: baseline, name: baseline)
        try Console.answer(BaselineDifference(older: older, newer: newer).text)
    }
}
