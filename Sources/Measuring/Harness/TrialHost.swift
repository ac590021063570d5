// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
package import Runs
package import TrialKit

/// The environment of trials: a temporary folder and, if anything is fetched, the embedded origin as a process.
package struct TrialHost: Sendable {
    /// The inputs of trials, with the secrets that no record stores.
    package struct Subjects: Sendable {
        /// The foreign URL with its credentials, if any.
        package var url: String?
        /// The details of requests for it, if any.
        package var details: RequestDetails?
        /// The commands among the modes, unredacted, by name.
        package var commands: [String: ExternalCommand]
        package var programs: TrialPrograms
        /// The paths of named programs, beside this project's own.
        package var named: [String]
        /// The parameters of plain commands with their real values.
        package var parameters: [CommandParameter]

        package init(
            url: String?, details: RequestDetails? = nil, commands: [String: ExternalCommand], programs: TrialPrograms,
            named: [String] = [], parameters: [CommandParameter] = []
        ) {
            self.named = named
            self.parameters = parameters
            self.url = url
            self.details = details
            self.commands = commands
            self.programs = programs
        }
    }

    private let plan: Plan
    private let subjects: Subjects
    private let harness: HarnessContext

    package init(_ plan: Plan, _ subjects: Subjects, in harness: HarnessContext) {
        self.plan = plan
        self.subjects = subjects
        self.harness = harness
    }

    /// Sets up the environment, runs `body` and tears it down.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable (TrialSurroundings) async throws -> Result
    ) async throws -> Result {
        guard plan.fetches else {
            return try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
                try await body(try surroundings(at: [""], directory: directory, authority: ""))
            }
        }
        let originEnvironment = try harness.originEnvironment()
        let destination = try DestinationFolder.path(for: plan, in: harness)
        return try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
            let authority = directory + "/authority.pem"
            let arguments =
                ["serve", "--until-stdin-closes"]
                + Setting.all.filter(\.isOfOrigin).flatMap { $0.words(of: SettingValues(plan)) }
                + ["--journal", Self.journal(in: directory)]
                + (plan.usesTLS ? ["--tls", authority] : []) + (plan.usesHTTP2 ? ["--http", "1.1,2"] : [])
            return try await OriginProcess.withOrigin(
                executable: harness.executable, arguments: arguments, environment: originEnvironment,
                lineCount: plan.usesHTTP2 ? 3 : plan.usesTLS ? 2 : 1
            ) { addresses in
                guard let journal = SentNotes(path: Self.journal(in: directory)) else {
                    throw FetchBenchError.file(.cannotRead(name: "the journal of the origin", errno: errno))
                }
                var surroundings = try surroundings(at: addresses, directory: directory, authority: authority)
                surroundings.journal = journal
                let prepared = surroundings
                guard let destination else { return try await body(prepared) }
                return try await TemporaryFolder.with(in: destination, called: "the folder of --destination other") {
                    try await body(prepared.moving(to: $0))
                }
            }
        }
    }

    private static func journal(in directory: String) -> String { directory + "/sent" }

    /// The variables that render models need, with the limit that was asked for.
    private var environment: [String: String] {
        let limit = plan.settings.rendering.maximumDecoderBytes.map { ["JPEGMEM": "\($0 / 1000)"] } ?? [:]
        return subjects.programs.environment.merging(limit) { $1 }
    }

    private func surroundings(
        at addresses: [String], directory: String, authority: String
    ) throws -> TrialSurroundings {
        var surroundings = TrialSurroundings(
            tracer: harness.executable, programs: subjects.programs, originURL: addresses[0],
            variables: harness.variables.fixing(environment), temporaryDirectory: directory,
            foreignURLs: subjects.url.map { [Asset.foreignName: $0] } ?? [:])
        surroundings.foreignAuthorityPath = try CertificateFile.path(for: plan, in: harness)
        surroundings.details = subjects.details
        surroundings.commands = subjects.commands
        surroundings.parameters = subjects.parameters
        surroundings.commandEnvironment = harness.commandEnvironment
        surroundings.workingDirectory = harness.workingDirectory
        surroundings.commandInput = try plan.settings.commands?.input.map {
            try CommandInput.path(for: harness.path(stored: $0), copyingTo: directory + "/input")
        }
        surroundings.redaction = harness.redaction
        if plan.usesTLS {
            surroundings.secureOrigin = SecureOrigin(
                url: addresses[1], http2URL: plan.usesHTTP2 ? addresses[2] : nil, certificateAuthorityPath: authority)
        }
        return surroundings
    }
}
