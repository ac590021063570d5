// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

/// The environment and inputs of trials.
package struct TrialSurroundings: Sendable {
    /// The path of the program with the subcommand `trace`.
    package var tracer: String
    package var programs: TrialPrograms
    /// The address of the embedded origin; empty if nothing is fetched.
    package var originURL: String
    package var variables: TrialVariables
    /// The folder in which each trial gets its own.
    package var temporaryDirectory: String
    /// The folder on another file system in which each trial of `--destination other` gets its own; `nil` if none has to.
    package var destinationDirectory: String?
    /// The real URLs of foreign assets by name: stored ones are redacted.
    package var foreignURLs: [String: String]
    /// The details of requests for the foreign asset, of which only names are stored.
    package var details: RequestDetails?
    /// The real commands by name: stored ones lack credentials and folders.
    package var commands: [String: ExternalCommand] = [:]
    /// The parameters of plain commands with their real values.
    package var parameters: [CommandParameter] = []
    package var commandEnvironment: [String: String] = [:]
    package var workingDirectory = "/"
    /// The path of the standard input of plain commands; `nil` for none.
    package var commandInput: String?
    /// Keeps credentials and folders out of messages of commands.
    package var redaction = RedactedCommand(folders: [:])
    /// The PEM file with the authority of the foreign URL; `nil` for the system's.
    package var foreignAuthorityPath: String?
    /// The embedded origin over TLS; `nil` if no case needs it.
    package var secureOrigin: SecureOrigin?
    /// The embedded origin's notes of what it sends; `nil` without an origin.
    package var journal: SentNotes?
    package var planted = PlantedBallast()
    /// The recorder of allocations; `nil` in every measured trial.
    package var recorder: RecorderLibrary?
    /// The time between two readings of the allocator's series; `nil` in every measured trial.
    var allocatorSeriesNanoseconds: Int?

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
    /// The time in milliseconds to wait for the origin's notes, which are written after the last byte.
    private static let patience = 500

    /// Takes the origin's notes since the last call, waiting while they are short; `nil` without notes.
    func sent(unless isShort: ([SentBytes]) -> Bool) async -> [SentBytes]? {
        guard let journal else { return nil }
        var sent = journal.taken()
        var waited = 0
        while waited < Self.patience, isShort(sent) {
            try? await Task.sleep(for: .milliseconds(10))
            waited += 10
            sent = (sent + journal.taken()).sorted { $0.time < $1.time }
        }
        return sent
    }

    /// Returns the same surroundings with a folder for files on another file system.
    func moving(to folder: String) -> TrialSurroundings {
        var surroundings = self
        surroundings.destinationDirectory = folder
        return surroundings
    }

    var searchPath: [String] {
        let path = variables.environment(for: .glibc, directory: temporaryDirectory, isCommand: true)["PATH"]
        return path.map { ["PATH=" + $0] } ?? []
    }
}

/// The embedded origin over TLS.
package struct SecureOrigin: Hashable, Sendable {
    package var url: String
    /// The address with HTTP/2; `nil` if no case needs it.
    package var http2URL: String?
    /// The path of the PEM file with its authority.
    package var certificateAuthorityPath: String

    package init(url: String, http2URL: String? = nil, certificateAuthorityPath: String) {
        self.url = url
        self.http2URL = http2URL
        self.certificateAuthorityPath = certificateAuthorityPath
    }
}
