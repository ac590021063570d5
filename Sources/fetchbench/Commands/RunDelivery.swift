// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs

/// Measures the run of one plan, prints it, and ends with the status that it asks for.
struct RunDelivery {
    let options: RunOptions
    /// How it is printed.
    let formats: [any TextRenderer<Report>]
    /// The flags that an interrupted run needs again beside its secrets.
    var moreFlags: [String] = []

    /// Does the trials of a session, stores the run, and prints it.
    /// - Throws: ``ExitStatus`` where it ended early.
    func measured(
        _ session: Session, _ subjects: TrialHost.Subjects, in harness: HarnessSurroundings
    ) async throws -> RunRecord {
        let console = SessionConsole(
            session: session, flagsToRepeat: subjects.flagsToRepeat(of: session.record) + moreFlags,
            isQuiet: options.quiet,
            progress: .here(isShown: options.showsProgress))
        let run = try await console.run(subjects, in: harness)
        let report = Report(run, in: session.folder)
        for format in formats { try Console.answer(format.pieces(of: report)) }
        if !options.quiet { Console.note("stored in \(session.folder.path)") }
        return run
    }

    /// Says what a run lacks.
    /// - Throws: ``ExitStatus/noAnswer`` where cases have too few trials, or could not be measured.
    func conclude(_ run: RunRecord) throws(ExitStatus) {
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
}
