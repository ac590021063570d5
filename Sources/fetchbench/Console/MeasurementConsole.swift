// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Reports

/// Runs the trials of a measurement with progress and Ctrl-C, keeps what was measured, and prints how to resume.
struct MeasurementConsole: Sendable {
    let measurement: RunMeasurement
    let isQuiet: Bool
    private let showsProgress: Bool
    var again: String
    /// True if other work follows that can be interrupted.
    var isContinued = false
    /// The formats printed after an early end because the folder is temporary; `nil` if it is kept.
    var onlyShownAs: [any TextRenderer<Report>]?

    /// - Parameters: As of ``RunMeasurement/resumption(takesCommands:with:)``.
    init(
        _ measurement: RunMeasurement, isQuiet: Bool, showsProgress: Bool = true, takesCommands: Bool = false,
        with flags: [String] = []
    ) {
        (self.measurement, self.isQuiet, self.showsProgress) = (measurement, isQuiet, showsProgress)
        again = measurement.resumption(takesCommands: takesCommands, with: flags)
    }

    /// Runs the trials.
    func measured<Value: Sendable>(
        _ work: @escaping @Sendable (@escaping RunMeasurement.Listener) async throws -> Value
    ) async throws -> Value {
        let display = ProgressDisplay(
            .here(isShown: showsProgress && !isQuiet), "preparing", usual: measurement.usualDuration)
        defer { display.finish() }
        do {
            return try await whileListeningForSignals(isContinued: isContinued, stop: measurement.stop) { [isQuiet] in
                try await work { display.show($0, isQuiet: isQuiet) }
            }
        } catch {
            display.finish()
            try stopped(by: error)
        }
    }

    /// Runs the trials of a run and completes its record.
    func run() async throws -> Report {
        try await measured { [measurement] in try await measurement.run(onEvent: $0) }
        return try finished(at: measurement.inputs.harness.now())
    }

    /// Completes the record and, if the folder is kept, writes all files derived from the stored trials.
    @discardableResult
    func finished(at time: String?) throws -> Report {
        let kind = measurement.record.kind
        let formats = kind.isPaired ? Formats.ofPairs : Formats.ofRuns
        return try measurement.finished(at: time, renderers: onlyShownAs == nil && kind != .survival ? formats : [])
    }

    /// Writes the reports of what was measured, prints how to resume, and throws the exit status.
    private func stopped(by error: any Error) throws -> Never {
        do {
            try finished(at: nil)
        } catch {
            Console.complain("the report could not be written; trials.jsonl has all trials")
        }
        if let onlyShownAs { try shown(as: onlyShownAs, after: error) }
        let again = "to finish it: " + again
        if error is CancellationError {
            Console.note("interrupted; finished trials are kept. \(again)")
            throw ExitCode.interrupted
        }
        Console.complain("\(measurement.record.kind.command) stopped: \(error)")
        Console.note(again)
        throw ExitCode.ofShard(stoppedBy: error, isShard: measurement.record.sharding != nil) ?? ExitCode.noAnswer
    }

    /// Prints the trials that are not stored, and throws the exit status.
    private func shown(as formats: [any TextRenderer<Report>], after error: any Error) throws -> Never {
        let run = try RunStore.load(measurement.folder)
        if !run.trials.isEmpty {
            for format in formats { try Console.answer(format.pieces(of: Report(run, in: measurement.folder))) }
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
