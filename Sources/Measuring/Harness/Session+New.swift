// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs
import Statistics

extension Session {
    /// The parent folder of a new session, and a name for this machine.
    package struct Destination: Hashable, Sendable {
        package var output: String
        package var label: String?

        /// Uses the usual folder for `nil`.
        package init(output: String?, label: String?) {
            self.output = output ?? RunFolder.usualParent
            self.label = label
        }
    }

    /// Begins a session of a plan.
    ///
    /// - Parameters:
    ///   - counterpart: the programs of the head, if they differ.
    ///   - reproduce: makes a command that repeats the session from the flags of the plan.
    package static func begun(
        _ kind: RunRecord.Kind, of request: PlanRequest, _ plan: Plan, comparison: Comparison? = nil,
        counterpart: TrialPrograms? = nil,
        reproduce: (PlanFlags) -> String = { $0.command() }, to destination: Destination,
        in harness: HarnessContext
    ) async throws(FetchBenchError) -> Session {
        try request.programs.check(plan)
        let revision = await harness.revision()
        let startedAt = harness.now()
        let suffix = SourceRevision.runSuffix(of: revision) + (kind.isPaired ? "-" + kind.command : "")
        var record = RunRecord(
            kind, identifier: startedAt.filter { $0 != "-" && $0 != ":" } + "-" + suffix, tool: BuildInformation.tool,
            startedAt: startedAt, reproduce: reproduce(PlanFlags(request, redaction: harness.shellRedaction)),
            suite: request.words.suite?.name, plan: plan,
            environment: harness.machine().stamped(revision, label: destination.label))
        record.comparison = comparison
        record.programs = kind.isPaired ? nil : request.programs.files(for: plan.cases)
        record.scenarios = request.programs.declaredScenarios(for: plan.cases, besides: counterpart)
        // A suite's budgets are those of `check`; budgets of the command line hold for every command that takes them.
        let budgets = kind == .check ? request.budgets : request.givenBudgets
        record.budgets = kind == .check || !budgets.isEmpty ? budgets.map(\.text) : nil
        record.noise = request.noise.values.isEmpty ? nil : request.noise
        return try begun(record, in: destination.output, harness)
    }

    /// Begins or resumes fresh trials of some cases of a run, in a folder beside that of the run.
    package static func confirming(
        _ run: RunRecord, in folder: RunFolder, of cases: [Case], harness: HarnessContext
    ) throws(FetchBenchError) -> Session {
        var record = RunRecord(
            identifier: run.identifier + "-confirmation", tool: run.tool, startedAt: harness.now(),
            reproduce: run.reproduce, suite: run.suite, plan: run.plan, environment: run.environment)
        record.scenarios = run.scenarios
        record.plan.cases = cases
        record.plan.trials = JudgementRule.storedBaseline.n2
        record.plan.seed = run.plan.seed &+ 1
        let beside = RunFolder(existing: folder.parent + "/" + record.identifier)
        if beside.has(.run), try RunStore.load(beside).plan == record.plan {
            return try resumed(beside, kinds: [.run], evenIfFinished: true, in: harness)
        }
        return try begun(record, in: folder.parent, harness)
    }
}
