// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import MemProbe
import Runs
import Support
import TrialKit

/// Starts commands: those that are measured in a tracer of their own, the others as they are.
struct ExecLauncher: Sendable {
    /// How much an answer may have: a build has thousands of processes, and each of them a few hundred bytes.
    private static let answerLimit = 256 << 20
    /// How long the tracer may take for itself.
    private static let margin = Duration.seconds(15)

    /// The program that traces.
    let tracer: String
    /// The environment of every command: the user's own.
    let environment: [String: String]
    /// The folder in which every command works: the user's own.
    let workingDirectory: String
    let settings: ExecSettings
    let redaction: RedactedCommand

    /// Runs and measures a command; its tracer's files lie in a folder that exists and is removed by the caller.
    func measured(_ step: ExecStep, in folder: String) async throws -> (ExecOutcome, ExecMeasurement?) {
        var request = CommandRequest(
            command: step.launch.words, directory: workingDirectory, makesFile: false, verification: .length,
            timeoutSeconds: settings.timeoutSeconds, memoryLimit: settings.memoryLimit)
        request.standardInput = settings.input
        let child = ChildProcess(
            executable: tracer, name: "trial", arguments: ["trace"], environment: environment, directory: folder,
            limit: .seconds(settings.timeoutSeconds) + Self.margin)
        let (end, output) = try await child.output(
            reading: RunCoding.compactText(of: request), limitedTo: Self.answerLimit)
        let said = end.lastWords { safe($0, of: step, folder) }
        guard end.ending == .exited(0), let report = try? JSONDecoder().decode(TrialReport.self, from: Data(output))
        else { return (lost(end.ending, said), nil) }
        guard let trace = report.command else {
            return (ExecOutcome(.failed, safe(report.failure?.detail ?? "it was not traced", of: step, folder)), nil)
        }
        return (ExecOutcome(trace, settings, said: said), ExecMeasurement(trace))
    }

    /// Runs a command that is not measured, and whatever it starts may go on.
    /// - Returns: why it did not end well, or `nil` where it did.
    func failure(of step: ExecStep, in folder: String, within seconds: Double) async throws -> String? {
        let path: String
        do throws(MemProbeError) {
            path = try ExecutableSearch.path(
                of: step.launch.words[0], environment: environment.map { "\($0.key)=\($0.value)" },
                in: workingDirectory)
        } catch {
            return
                "\(safe(step.launch.words[0], of: step, folder)) cannot be started: \(error.startObstacle(in: workingDirectory))"
        }
        var settings = settings
        settings.timeoutSeconds = seconds
        let child = ChildProcess(
            executable: path, name: step.launch.words[0], arguments: Array(step.launch.words.dropFirst()),
            environment: environment, directory: workingDirectory, limit: .seconds(seconds))
        let end = try await child.end()
        let said = end.lastWords { safe($0, of: step, folder) }
        let outcome = ExecOutcome(end.ending, settings, said: said)
        return outcome.kind == .completed ? nil : outcome.detail
    }

    /// A tracer that was killed, by the command say, has no answer.
    private func lost(_ ending: Ending, _ said: String) -> ExecOutcome {
        if ending == .killedAtLimit { return ExecOutcome(ending, settings, said: said) }
        let how = ending == .exited(0) ? "its answer is none" : ExecOutcome(ending, settings, said: said).detail
        return ExecOutcome(.failed, "what traced it was lost: \(how)")
    }

    private func safe(_ text: String, of step: ExecStep, _ folder: String) -> String {
        step.safe(text.replacingOccurrences(of: folder, with: "TMPDIR"), redaction)
    }
}
