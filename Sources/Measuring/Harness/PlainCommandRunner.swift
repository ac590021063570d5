// SPDX-License-Identifier: Apache-2.0

import Runs

/// Does the unmeasured parts of a plain command's trial: its request, its preparation and its cleanup.
///
/// The cleanup runs whatever became of the trial and of the harness.
struct PlainCommandRunner: Sendable {
    /// The time limit in seconds of a cleanup after the harness was stopped.
    private static let hurriedSeconds = 10.0

    let command: ExternalCommand
    let values: [CommandParameter.Value]
    let settings: TrialSettings
    let allocator: AllocatorArm
    let inputs: TrialInputs

    /// The environment of every command: the user's own with the allocator's variables.
    var environment: [String: String] {
        inputs.place.variables.plainEnvironment(inputs.harness.commandEnvironment, on: allocator)
    }

    private var workingDirectory: String { inputs.harness.workingDirectory }

    func request(for cell: Case) throws -> CommandRequest {
        var values = values
        var server: ServerOrder?
        var variables: [String: String] = [:]
        if let asked = command.server {
            let port = try FreePort.number()
            server = ServerOrder(
                asked, of: cell, with: values, port: port, fields: inputs.details?.fields ?? [],
                hashes: settings.verification == .sha256)
            values += [.init("port", "\(port)"), .init("origin", inputs.place.originURL + "/bytes")]
            // For scripts between this command and the server; `PORT` is what most hosts of servers name it.
            variables = ["PORT": "\(port)", "ORIGIN": inputs.place.originURL + "/bytes"]
            let client = try asked.client.map { try command.launch(of: $0, with: values).words }
            server?.client = client.map {
                ServerOrder.Client(
                    words: $0, environment: inputs.harness.commandEnvironment.merging(variables) { $1 },
                    directory: workingDirectory)
            }
        }
        var request = CommandRequest(
            command: (try? command.launch(with: values))?.words ?? [], directory: workingDirectory, makesFile: false,
            verification: .length, timeoutSeconds: settings.timeoutSeconds, memoryLimit: settings.memoryLimit)
        request.environment = variables
        request.standardInput = inputs.place.commandInput
        request.childrenSeconds = settings.commands?.childrenSeconds
        (request.method, request.server) = (settings.commands?.method, server)
        return request
    }

    func safe(_ said: String) -> String {
        let texts = [command.command, command.preparation, command.cleanup].compactMap(\.self)
        return texts.reduce(said) { said, text in
            inputs.harness.redaction.text(
                said, of: ExternalCommand(name: "", command: CommandTemplate.filled(text, with: values)))
        }
    }

    /// Runs a trial between its preparation and its cleanup; a failed preparation skips it.
    ///
    /// - Returns: the trial's value or the failure, and the reason that the cleanup failed, or `nil`.
    func between<Value>(
        _ body: () async throws -> Value
    ) async throws -> (value: Result<Value, FetchBenchError>, remains: String?) {
        let value: Result<Value, FetchBenchError>
        do {
            if let failure = try await failure(of: command.preparation, within: settings.timeoutSeconds) {
                value = .failure(FetchBenchError("--prepare \(failure)"))
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

    /// Cleans up even if the harness was stopped, with a shorter time limit; returns the reason of a failure.
    private func cleanedUp() async throws -> String? {
        if !Task.isCancelled {
            let failure = try await failure(of: command.cleanup, within: settings.timeoutSeconds)
            // A cancelled cleanup has to be repeated.
            if !Task.isCancelled { return failure }
        }
        return try await Task { try await failure(of: command.cleanup, within: Self.hurriedSeconds) }.value
    }

    /// Runs an unmeasured command, whose processes may outlive it; returns the reason of a failure.
    private func failure(of text: String?, within seconds: Double) async throws -> String? {
        guard let text, let words = (try? command.launch(of: text, with: values))?.words else { return nil }
        let path: String
        do throws(MemProbeError) {
            path = try ExecutableSearch.path(
                of: words[0], environment: environment.map { "\($0.key)=\($0.value)" }, in: workingDirectory)
        } catch {
            return "\(safe(words[0])) cannot be started: \(error.startObstacle(in: workingDirectory))"
        }
        var launch = ChildLaunch(
            executable: path, name: words[0], arguments: Array(words.dropFirst()), environment: environment,
            directory: workingDirectory, limit: .seconds(seconds))
        launch.leavesOthers = true
        let end = try await launch.run()
        let said = end.lastWords { safe($0) }
        return end.ending.obstacle(within: seconds).map { said.isEmpty ? $0 : "\($0): \(said)" }
    }
}
