// SPDX-License-Identifier: Apache-2.0

import Glibc
import OperatingSystem
package import Runs
package import TrialKit

/// What trials run in: a temporary folder, and, where anything is fetched, the embedded origin as a process of its own; both
/// are gone afterwards.
package struct TrialHost: Sendable {
    /// What is fetched and run in trials, with the secrets that no record keeps.
    package struct Subjects: Sendable {
        /// The foreign URL with its credentials, where one is fetched.
        package var url: String?
        /// What requests for it carry, where that is anything.
        package var details: RequestDetails?
        /// The commands among the modes, as they were given, by name.
        package var commands: [String: ExternalCommand]
        /// The programs that are measured.
        package var programs: TrialPrograms
        /// The paths of those that were named, beside this project's own.
        package var named: [String]
        /// The parameters of plain commands, with their real values.
        package var parameters: [CommandParameter]

        /// Creates them.
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

    /// What the trials of a plan run in.
    package init(_ plan: Plan, _ subjects: Subjects, in harness: HarnessContext) {
        self.plan = plan
        self.subjects = subjects
        self.harness = harness
    }

    /// Makes them, does `body`, and ends them whatever happens.
    package func run<Result: Sendable>(
        _ body: @escaping @Sendable (TrialSurroundings) async throws -> Result
    ) async throws -> Result {
        guard plan.fetches else {
            return try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
                try await body(surroundings(at: [""], directory: directory, authority: ""))
            }
        }
        let originEnvironment = try harness.originEnvironment()
        return try await TemporaryFolder.with(in: harness.temporaryDirectory) { directory in
            let authority = directory + "/authority.pem"
            let arguments =
                ["serve", "--until-stdin-closes"]
                + Setting.all.filter(\.isOfOrigin).flatMap { $0.words(of: SettingValues(plan)) }
                + ["--journal", Self.journal(in: directory)]
                + (plan.usesTLS ? ["--tls", authority] : [])
            return try await OriginProcess.withOrigin(
                executable: harness.executable, arguments: arguments, environment: originEnvironment,
                lineCount: plan.usesTLS ? 2 : 1
            ) { addresses in
                // Without a name from here on: a trial could write into it what the origin never sent.
                let journal = open(Self.journal(in: directory), O_RDWR | O_CLOEXEC)
                unlink(Self.journal(in: directory))
                defer { close(journal) }
                var surroundings = surroundings(at: addresses, directory: directory, authority: authority)
                surroundings.journalPath = "/proc/self/fd/\(journal)"
                return try await body(surroundings)
            }
        }
    }

    private static func journal(in directory: String) -> String { directory + "/sent" }

    private func surroundings(
        at addresses: [String], directory: String, authority: String
    ) -> TrialSurroundings {
        var surroundings = TrialSurroundings(
            tracer: harness.executable, programs: subjects.programs, originURL: addresses[0],
            variables: harness.variables.fixing(subjects.programs.environment), temporaryDirectory: directory,
            foreignURLs: subjects.url.map { [Asset.foreignName: $0] } ?? [:])
        surroundings.details = subjects.details
        surroundings.commands = subjects.commands
        surroundings.parameters = subjects.parameters
        surroundings.commandEnvironment = harness.commandEnvironment
        surroundings.workingDirectory = harness.workingDirectory
        surroundings.commandInput = plan.settings.commands?.input.map { harness.path(stored: $0) }
        surroundings.redaction = harness.redaction
        if plan.usesTLS {
            surroundings.secureOrigin = SecureOrigin(url: addresses[1], certificateAuthorityPath: authority)
        }
        return surroundings
    }
}
