// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

/// What trials need of their surroundings.
package struct TrialSurroundings: Sendable {
    /// The path of the program that has the subcommand `trace`, which traces commands.
    package var tracer: String
    /// The programs that are measured.
    package var programs: TrialPrograms
    /// The address of the embedded origin; empty where nothing is fetched.
    package var originURL: String
    /// What builds the trials' environment.
    package var variables: TrialVariables
    /// The folder in which each trial gets one of its own.
    package var temporaryDirectory: String
    /// The real URLs of the foreign assets, by name: plans and runs hold them with credentials redacted.
    package var foreignURLs: [String: String]
    /// What requests for the foreign asset carry: plans and runs hold the names of it alone.
    package var details: RequestDetails?
    /// The real commands, by name: plans and runs hold them without credentials and folders.
    package var commands: [String: ExternalCommand] = [:]
    /// The parameters of plain commands, with their real values.
    package var parameters: [CommandParameter] = []
    /// The environment of plain commands.
    package var commandEnvironment: [String: String] = [:]
    /// The folder in which plain commands work.
    package var workingDirectory = "/"
    /// The path of the file that plain commands get as their standard input, or `nil` for none.
    package var commandInput: String?
    /// What keeps credentials and folders out of what commands say.
    package var redaction = RedactedCommand(folders: [:])
    /// The address of the embedded origin over TLS, and the path of the authority that signs its certificate; `nil`
    /// where the plan has no case that is fetched over it.
    package var secureOrigin: SecureOrigin?
    /// Where the embedded origin notes when it sent how much; `nil` where nobody does.
    package var journalPath: String?
    /// What trials hold on purpose, to show that a check sees it; none in every real run.
    package var planted = PlantedBallast()
    /// What records who allocates, where that is asked for; `nil` in every trial that is measured.
    package var recorder: RecorderLibrary?

    /// Creates the surroundings.
    package init(
        tracer: String, programs: TrialPrograms, originURL: String, variables: TrialVariables,
        temporaryDirectory: String,
        foreignURLs: [String: String]
    ) {
        self.tracer = tracer
        self.programs = programs
        self.originURL = originURL
        self.variables = variables
        self.temporaryDirectory = temporaryDirectory
        self.foreignURLs = foreignURLs
    }
}

extension TrialSurroundings {
    /// How long is waited for the origin's account of a body, in milliseconds: it is written behind the last byte.
    private static let patience = 500

    /// What the embedded origin sent since this was asked last; `nil` where it keeps no account.
    /// - Parameter isShort: whether something is missing that may be written yet.
    func sent(unless isShort: ([SentBytes]) -> Bool) async -> [SentBytes]? {
        guard let journalPath else { return nil }
        var sent = SentBytes.taken(from: journalPath)
        var waited = 0
        while waited < Self.patience, isShort(sent) {
            try? await Task.sleep(for: .milliseconds(10))
            waited += 10
            sent = (sent + SentBytes.taken(from: journalPath)).sorted { $0.time < $1.time }
        }
        return sent
    }

    /// The user's `PATH` as commands get it: `["PATH=…"]`.
    var searchPath: [String] {
        let path = variables.environment(for: .glibc, directory: temporaryDirectory, isCommand: true)["PATH"]
        return path.map { ["PATH=" + $0] } ?? []
    }
}

/// Where the embedded origin is reached over TLS.
package struct SecureOrigin: Hashable, Sendable {
    /// Its address: `https://127.0.0.1:PORT`.
    package var url: String
    /// The path of the PEM file with its authority.
    package var certificateAuthorityPath: String

    /// Creates an address.
    package init(url: String, certificateAuthorityPath: String) {
        self.url = url
        self.certificateAuthorityPath = certificateAuthorityPath
    }
}
