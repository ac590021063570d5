// SPDX-License-Identifier: Apache-2.0

import CSignals
import Dispatch
import Glibc
import Measuring
import OperatingSystem
import Reports
import Runs

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
    /// - Throws: ``ExitStatus`` if the session ended early, after printing how to resume.
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
    /// - Throws: ``ExitStatus`` if it ended early.
    func run(_ inputs: TrialInputs) async throws -> RunRecord {
        try await measured { [session] onEvent in
            try await inputs.hosted(for: session.record.plan) { inputs in
                try await TrialRunner(session, [nil: inputs], onEvent: onEvent).run()
            }
        }
        return try finished(at: inputs.harness.now())
    }

    /// Completes the record and writes all files derived from the stored trials.
    @discardableResult
    func finished(at time: String?) throws(FetchBenchError) -> RunRecord {
        try session.finished(
            at: time, renderers: session.record.kind.isPaired ? Formats.ofPairs : Formats.ofRuns)
    }

    /// Writes the reports of what was measured, prints how to resume, and throws the exit status.
    private func stopped(by error: any Error) throws -> Never {
        do throws(FetchBenchError) {
            try finished(at: nil)
        } catch {
            Console.complain("the report could not be written; trials.jsonl has all trials")
        }
        if let onlyShownAs { try shown(as: onlyShownAs, after: error) }
        let words = ["fetchbench", session.record.kind.command, "--resume", ShellWord.pasted(session.folder.path)]
        let again = "to finish it: " + (goesOnWith ?? words + flagsToRepeat).joined(separator: " ")
        if error is CancellationError {
            Console.note("interrupted; finished trials are kept. \(again)")
            throw ExitStatus.interrupted
        }
        Console.complain("\(session.record.kind.command) stopped: \(Explanation.text(of: error))")
        Console.note(again)
        throw ExitStatus.ofShard(stoppedBy: error, isShard: session.record.sharding != nil) ?? .noAnswer
    }

    /// Prints the trials that are not stored, and throws the exit status.
    private func shown(as formats: [any TextRenderer<Report>], after error: any Error) throws -> Never {
        let run = try RunStore.load(session.folder)
        if !run.trials.isEmpty {
            for format in formats { try Console.answer(format.pieces(of: Report(run, in: session.folder))) }
        }
        let shown = run.trials.isEmpty ? "no run was measured" : "\(run.trials.count) runs are shown"
        guard error is CancellationError else {
            Console.complain(
                "exec stopped: \(Explanation.text(of: error)); \(shown); nothing is stored without --output")
            throw ExitStatus.noAnswer
        }
        Console.note("interrupted; \(shown); nothing is stored without --output")
        throw ExitStatus.interrupted
    }
}

/// Runs `work` as a task that SIGINT, SIGHUP and SIGTERM cancel, and waits for its end either way.
///
/// From the first line of `work` on, no signal is lost, and the first one does not end the process; a second one does.
/// Afterwards signals have their usual effect again.
/// - Parameters:
///   - isContinued: True if more work follows: a signal until then cancels that work as it begins.
///   - stop: The request that SIGTERM makes instead of cancelling the work; `nil` for work that it cancels.
func whileListeningForSignals<Value: Sendable>(
    isContinued: Bool = false, stop: StopRequest? = nil, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let signals = csignals_catch()
    guard signals >= 0 else { throw FileFailure.cannotWrite(name: "a pipe for signals", errno: errno) }
    let task = Task { try await work() }
    let source = DispatchSource.makeReadSource(fileDescriptor: signals, queue: .global())
    source.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(signals, &bytes, bytes.count)
        if let stop, count > 0, bytes[..<count].allSatisfy({ $0 == SIGTERM }) { stop.make() } else { task.cancel() }
    }
    source.resume()
    defer {
        source.cancel()
        if isContinued { csignals_hold() } else { csignals_release() }
    }
    do {
        return try await task.value
    } catch {
        // Any error after a signal is a consequence of it, such as an origin that is stopped while it starts.
        throw task.isCancelled ? CancellationError() : error
    }
}
