// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Judging
import MemProbe
package import Runs
import Statistics
import Support

/// Runs commands round by round, in each round every one once and in random order.
///
/// A command that fails is given up, so that one which hangs is waited for once; the others go on.
package struct ExecRunner: Sendable {
    /// What happens while it measures; whoever shows progress listens.
    package enum Event: Sendable {
        /// A run begins.
        case began(ExecCase, isWarmup: Bool, position: Int, of: Int)
        /// A run went wrong, and its command is given up.
        case failed(ExecTrial)
    }

    /// After how many seconds a cleaning up is killed where the harness was stopped.
    private static let hurriedSeconds = 10.0

    private let plan: ExecPlan
    private let launcher: ExecLauncher
    private let directory: String

    /// Creates a runner.
    /// - Parameters:
    ///   - tracer: the path of this program, which traces.
    ///   - environment: what every command gets.
    ///   - workingDirectory: where every command works.
    ///   - directory: the folder in which each run gets one of its own for the tracer.
    package init(
        _ plan: ExecPlan, tracer: String, environment: [String: String], workingDirectory: String,
        redaction: RedactedCommand, directory: String
    ) {
        self.plan = plan
        self.directory = directory
        launcher = ExecLauncher(
            tracer: tracer, environment: environment, workingDirectory: workingDirectory, settings: plan.settings,
            redaction: redaction)
    }

    /// Makes all runs.
    /// - Parameter onTrial: gets each run the moment it ends, and keeps it.
    /// - Throws: what `onTrial` throws; ``FileFailure`` where the harness cannot go on; `CancellationError` where it was
    ///   stopped.
    package func run(
        onEvent: @Sendable (Event) -> Void, onTrial: @Sendable (ExecTrial) throws -> Void
    ) async throws {
        var generator = SeededGenerator(seed: plan.settings.seed)
        var givenUp: Set<String> = []
        let rounds = plan.settings.warmup + plan.settings.trials
        for round in 0..<rounds {
            let isWarmup = round < plan.settings.warmup
            for (place, index) in plan.cases.indices.shuffled(using: &generator).enumerated() {
                let cell = plan.cases[index]
                guard !givenUp.contains(cell.name) else { continue }
                try Task.checkCancellation()
                let number = round * plan.cases.count + place + 1
                onEvent(.began(cell, isWarmup: isWarmup, position: number, of: rounds * plan.cases.count))
                let trial = try await trial(of: cell, number: number, isWarmup: isWarmup)
                // What was cut off is no run.
                try Task.checkCancellation()
                try onTrial(trial)
                guard !trial.isGood(plan.settings) else { continue }
                givenUp.insert(cell.name)
                onEvent(.failed(trial))
            }
        }
    }

    private func trial(of cell: ExecCase, number: Int, isWarmup: Bool) async throws -> ExecTrial {
        try await TrialFolder.with("e", number, in: directory) { folder in
            var trial = ExecTrial(
                number: number, name: cell.name, isWarmup: isWarmup, outcome: ExecOutcome(.completed), measurement: nil)
            do {
                let (outcome, measurement) = try await run(of: cell, in: folder)
                trial.outcome = outcome
                trial.measurement = measurement
            } catch {
                // Whatever became of it, and of the harness: what it left, or what went before it, must not stay.
                _ = try? await cleanedUp(after: cell, in: folder)
                throw error
            }
            let remains = try await cleanedUp(after: cell, in: folder)
            if let remains, trial.isGood(plan.settings) { trial.outcome = ExecOutcome(.failed, "--cleanup \(remains)") }
            return trial
        }
    }

    /// What goes before, and the run, which there is none of where that fails.
    private func run(of cell: ExecCase, in folder: String) async throws -> (ExecOutcome, ExecMeasurement?) {
        if let preparation = cell.preparation {
            let failure = try await launcher.failure(
                of: preparation, in: folder, within: plan.settings.timeoutSeconds)
            if let failure { return (ExecOutcome(.failed, "--prepare \(failure)"), nil) }
        }
        try Task.checkCancellation()
        return try await launcher.measured(cell.step, in: folder)
    }

    /// Cleans up even where the harness was stopped, if in a hurry.
    /// - Returns: why that failed, or `nil`.
    private func cleanedUp(after cell: ExecCase, in folder: String) async throws -> String? {
        guard let cleanup = cell.cleanup else { return nil }
        if !Task.isCancelled {
            let failure = try await launcher.failure(of: cleanup, in: folder, within: plan.settings.timeoutSeconds)
            // One that was cut off has to be done again.
            if !Task.isCancelled { return failure }
        }
        return try await Task {
            try await launcher.failure(of: cleanup, in: folder, within: Self.hurriedSeconds)
        }.value
    }
}
