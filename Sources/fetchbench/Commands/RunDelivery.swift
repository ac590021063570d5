// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Reports
import Runs

/// Measures the run of one plan, prints it, and ends with its exit status.
struct RunDelivery {
    let isQuiet: Bool
    let showsProgress: Bool
    let formats: [any TextRenderer<Report>]
    let color: ColorChoice
    /// The work after the trials, which resuming has to ask for again.
    var extras: [RunExtra] = []
    /// The command that resumes, without the folder; `nil` for `run`.
    var resumedBy: [String]?
    /// True if the run's folder is not a temporary one.
    var isKept = true

    /// Runs the trials of a session, stores and prints the run, adds the extras, and ends with its exit status.
    func deliver(_ session: Session, _ inputs: TrialInputs) async throws {
        let run = try await measured(session, inputs)
        try await addExtras(to: run, session, inputs)
        try concludeBudgets(of: run)
        try conclude(run)
    }

    /// Runs the trials of a session, stores the run, and prints it.
    /// - Throws: ``ExitStatus`` if it ended early.
    func measured(_ session: Session, _ inputs: TrialInputs) async throws -> RunRecord {
        let flags = (resumedBy == nil ? inputs.flagsToRepeat : inputs.commandsToRepeat)(session.record)
        var console = SessionConsole(
            session: session, flagsToRepeat: flags + extras.map(\.flag), isQuiet: isQuiet,
            showsProgress: showsProgress)
        console.goesOnWith = resumedBy.map { $0 + [ShellWord.pasted(session.folder.path)] + console.flagsToRepeat }
        console.isContinued = !extras.isEmpty
        console.onlyShownAs = isKept ? nil : formats
        let run = try await console.run(inputs)
        var report = try Report(run, in: session.folder)
        // Earlier trials of a resumed run failed in another process.
        let areShown = !isQuiet && session.done.isEmpty && HarnessContext.answersBesideErrors
        for format in formats {
            report.failuresAreShown = areShown && format.name == Formats.runTable.name
            try Console.answer(format.pieces(of: report), in: color.of(format.name))
        }
        if !isQuiet, isKept { Console.note(resultIn: session.folder) }
        return run
    }

    /// Ends with the verdict of the budgets, which the table shows.
    private func concludeBudgets(of run: RunRecord) throws {
        let verdicts = try BudgetJudge.findings(ofHead: run).map(\.verdict)
        if verdicts.contains(.overBudget) { throw ExitStatus.red }
        if verdicts.contains(.missing) { throw ExitStatus.noAnswer }
    }

    /// Reports what a run lacks.
    /// - Throws: ``ExitStatus/noAnswer`` if cases have too few trials or could not be measured; ``ExitStatus/red`` if a
    ///   plain command is over its limit.
    func conclude(_ run: RunRecord) throws(ExitStatus) {
        try concludeCommands(of: Report(run))
        let short = run.casesShortOfTrials
        guard short.isEmpty else {
            Console.complain(
                "\(short.count) of \(run.plan.cases.count) cases have too few completed trials, beginning with "
                    + short[0].identifier)
            throw ExitStatus.noAnswer
        }
        let missing = run.plan.inapplicable.filter {
            !run.environment.allocators.keys.contains($0.cell.allocator.rawValue)
        }
        guard missing.isEmpty else {
            Console.complain("\(missing.count) cases could not be measured: \(missing[0].reason)")
            throw ExitStatus.noAnswer
        }
    }

    /// Reports the plain commands that are over the limit; a failed command means no answer.
    private func concludeCommands(of report: Report) throws(ExitStatus) {
        guard let commands = CommandReport(report) else { return }
        for excess in commands.excesses { Console.complain(excess.text) }
        guard commands.excesses.isEmpty else { throw .red }
        for reason in commands.unanswered { Console.complain(reason) }
        guard commands.unanswered.isEmpty else { throw .noAnswer }
        guard commands.isComplete else { throw .noAnswer }
    }
}
