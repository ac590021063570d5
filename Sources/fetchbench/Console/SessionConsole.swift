// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Reports

/// Runs the trials of a session with progress and Ctrl-C, keeps what was measured, and prints how to resume.
struct SessionConsole: Sendable {
    let session: Session
    /// The flags that resuming needs again.
    let flagsToRepeat: [String]
    let isQuiet: Bool
    var showsProgress = true
    /// The command that resumes, if it is not that of the session's own kind.
    var goesOnWith: [String]?
    /// True if other work follows that can be interrupted.
    var isContinued = false
    /// The formats printed after an early end because the folder is temporary; `nil` if it is kept.
    var onlyShownAs: [any TextRenderer<Report>]?

    /// Runs the trials.
    /// - Throws: ``ExitCode`` if the session ended early, after printing how to resume.
    func measured<Value: Sendable>(
        _ work: @escaping @Sendable (@escaping @Sendable (SessionEvent) -> Void) async throws -> Value
    ) async throws -> Value {
        let display = ProgressDisplay(
            .here(isShown: showsProgress && !isQuiet), "preparing", usual: session.usualDuration)
        defer { display.finish() }
        do {
            return try await whileListeningForSignals(isContinued: isContinued, stop: session.stop) { [isQuiet] in
                try await work { display.show($0, isQuiet: isQuiet) }
            }
        } catch {
            display.finish()
            try stopped(by: error)
        }
    }

    /// Runs the trials of a run and completes its record.
    /// - Throws: ``ExitCode`` if it ended early.
    func run(_ inputs: TrialInputs) async throws -> RunRecord {
        try await measured { [session] onEvent in
            try await inputs.hosted(for: session.record.plan) { inputs in
                try await TrialRunner(session, [nil: inputs], onEvent: onEvent).run()
            }
        }
        return try finished(at: inputs.harness.now())
    }

    /// Completes the record and, if the folder is kept, writes all files derived from the stored trials.
    @discardableResult
    func finished(at time: String?) throws -> RunRecord {
        let kind = session.record.kind
        let formats = kind.isPaired ? Formats.ofPairs : Formats.ofRuns
        return try session.finished(at: time, renderers: onlyShownAs == nil && kind != .survival ? formats : [])
    }

    /// Writes the reports of what was measured, prints how to resume, and throws the exit status.
    private func stopped(by error: any Error) throws -> Never {
        do {
            try finished(at: nil)
        } catch {
            Console.complain("the report could not be written; trials.jsonl has all trials")
        }
        if let onlyShownAs { try shown(as: onlyShownAs, after: error) }
        let words = ["fetchbench", session.record.kind.command, "--resume", ShellWord.pasted(session.folder.path)]
        let again = "to finish it: " + (goesOnWith ?? words + flagsToRepeat).joined(separator: " ")
        if error is CancellationError {
            Console.note("interrupted; finished trials are kept. \(again)")
            throw ExitCode.interrupted
        }
        Console.complain("\(session.record.kind.command) stopped: \(error)")
        Console.note(again)
        throw ExitCode.ofShard(stoppedBy: error, isShard: session.record.sharding != nil) ?? ExitCode.noAnswer
    }

    /// Prints the trials that are not stored, and throws the exit status.
    private func shown(as formats: [any TextRenderer<Report>], after error: any Error) throws -> Never {
        let run = try RunStore.load(session.folder)
        if !run.trials.isEmpty {
            for format in formats { try Console.answer(format.pieces(of: Report(run, in: session.folder))) }
        }
        // Without a format it is an estimate, of which nothing is shown.
        let shown =
            formats.isEmpty
            ? "nothing is estimated"
            : (run.trials.isEmpty ? "no run was measured" : "\(run.trials.count) runs are shown")
                + "; nothing is stored without --output"
        guard error is CancellationError else {
            Console.complain("stopped: \(error); \(shown)")
            throw ExitCode.noAnswer
        }
        Console.note("interrupted; \(shown)")
        throw ExitCode.interrupted
    }
}
