// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Runs

/// Measures the run of one plan, prints it, and ends with the status that it asks for.
struct RunDelivery {
    /// Whether nothing is said but the answer and errors.
    let isQuiet: Bool
    /// Whether it is said how far it has come.
    let showsProgress: Bool
    /// How it is printed.
    let formats: [any TextRenderer<Report>]
    /// The flags that an interrupted run needs again beside its secrets.
    var moreFlags: [String] = []
    /// The command that goes on with an interrupted run, without the folder; `nil` for `run`.
    var resumedBy: [String]?
    /// Whether the folder stays.
    var isKept = true

    /// Does the trials of a session, stores the run, and prints it.
    /// - Throws: ``ExitStatus`` where it ended early.
    func measured(
        _ session: Session, _ subjects: TrialHost.Subjects, in harness: HarnessContext
    ) async throws -> RunRecord {
        var console = SessionConsole(
            session: session,
            flagsToRepeat: (resumedBy == nil
                ? subjects.flagsToRepeat(of: session.record) : subjects.commandsToRepeat(of: session.record))
                + moreFlags,
            isQuiet: isQuiet,
            progress: .here(isShown: showsProgress))
        console.goesOnWith = resumedBy.map { $0 + [ShellWord.pasted(session.folder.path)] + console.flagsToRepeat }
        console.onlyShownAs = isKept ? nil : formats
        let run = try await console.run(subjects, in: harness)
        let report = Report(run, in: session.folder)
        for format in formats { try Console.answer(format.pieces(of: report)) }
        if !isQuiet, isKept { Console.note("stored in \(session.folder.path)") }
        return run
    }

    /// Says what a run lacks.
    /// - Throws: ``ExitStatus/noAnswer`` where cases have too few trials, or could not be measured; ``ExitStatus/red`` where
    ///   a plain command is over its limit.
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

    /// Says what plain commands are over the limit; one that failed has no answer.
    private func concludeCommands(of report: Report) throws(ExitStatus) {
        guard let commands = CommandReport(report) else { return }
        for excess in commands.excesses { Console.complain(excess.text) }
        guard commands.excesses.isEmpty else { throw .red }
        guard commands.isComplete else { throw .noAnswer }
    }
}
