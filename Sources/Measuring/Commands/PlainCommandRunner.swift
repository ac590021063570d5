// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
import Runs
import TrialKit

/// Does what belongs to a trial of a plain command beside its measurement: what the tracer is asked, what goes before, and
/// what goes after, which is done whatever became of the trial and of the harness.
struct PlainCommandRunner: Sendable {
    /// After how many seconds a cleaning up is killed where the harness was stopped.
    private static let hurriedSeconds = 10.0

    /// The command as it was given.
    let command: ExternalCommand
    /// The real values of its parameters.
    let values: [CommandParameter.Value]
    let settings: TrialSettings
    /// The path of the file that it gets as its standard input, or `nil` for none.
    let input: String?
    /// The environment of every command: the user's own, and what the allocator takes.
    let environment: [String: String]
    /// The folder in which every command works: the user's own.
    let workingDirectory: String
    let redaction: RedactedCommand

    /// What the tracer is asked.
    func request() -> CommandRequest {
        var request = CommandRequest(
            command: (try? command.launch(with: values))?.words ?? [], directory: workingDirectory, makesFile: false,
            verification: .length, timeoutSeconds: settings.timeoutSeconds, memoryLimit: settings.memoryLimit)
        request.standardInput = input
        return request
    }

    /// What a command said, without what its own words must not show.
    func safe(_ said: String) -> String {
        let texts = [command.command, command.preparation, command.cleanup].compactMap(\.self)
        return texts.reduce(said) { said, text in
            redaction.text(
                said, of: ExternalCommand(name: "", command: CommandTemplate.filled(text, with: values)))
        }
    }

    /// Does a trial between what goes before and what goes after it.
    /// - Parameter body: the trial; not done where what goes before it failed.
    /// - Returns: the trial's value, or why there is none; and why the cleaning up failed, or `nil`.
    func between<Value>(
        _ body: () async throws -> Value
    ) async throws -> (value: Result<Value, StepFailure>, remains: String?) {
        let value: Result<Value, StepFailure>
        do {
            if let failure = try await failure(of: command.preparation, within: settings.timeoutSeconds) {
                value = .failure(StepFailure(reason: "--prepare \(failure)"))
            } else {
                try Task.checkCancellation()
                value = .success(try await body())
            }
        } catch {
            _ = try? await cleanedUp()
            throw error
        }
        return (value, try await cleanedUp().map { "--cleanup \($0)" })
    }

    /// Cleans up even where the harness was stopped, if in a hurry.
    /// - Returns: why that failed, or `nil`.
    private func cleanedUp() async throws -> String? {
        if !Task.isCancelled {
            let failure = try await failure(of: command.cleanup, within: settings.timeoutSeconds)
            // One that was cut off has to be done again.
            if !Task.isCancelled { return failure }
        }
        return try await Task { try await failure(of: command.cleanup, within: Self.hurriedSeconds) }.value
    }

    /// Runs a command that is not measured, and whatever it starts may go on.
    /// - Returns: why it did not end well, or `nil` where it did.
    private func failure(of text: String?, within seconds: Double) async throws -> String? {
        guard let text, let words = (try? command.launch(of: text, with: values))?.words else { return nil }
        let path: String
        do throws(MemProbeError) {
            path = try ExecutableSearch.path(
                of: words[0], environment: environment.map { "\($0.key)=\($0.value)" }, in: workingDirectory)
        } catch {
            return "\(safe(words[0])) cannot be started: \(error.startObstacle(in: workingDirectory))"
        }
        let child = ChildProcess(
            executable: path, name: words[0], arguments: Array(words.dropFirst()), environment: environment,
            directory: workingDirectory, limit: .seconds(seconds))
        let end = try await child.end()
        let said = end.lastWords { safe($0) }
        return end.ending.obstacle(within: seconds).map { said.isEmpty ? $0 : "\($0): \(said)" }
    }
}

/// Why there is no trial.
struct StepFailure: Error {
    let reason: String
}
