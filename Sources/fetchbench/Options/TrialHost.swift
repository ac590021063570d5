// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit

/// What trials run in: the embedded origin as a process of its own, and a temporary folder, both gone afterwards.
struct TrialHost: Sendable {
    /// The asset of a foreign URL; its name never holds a part of the URL, which may be a secret.
    static let foreignAsset = "url"

    /// How fast the origin sends.
    let rate: String
    /// The foreign URL with its credentials, where one is fetched.
    let url: String?
    /// The commands among the modes, as they were given.
    let commands: [String: ExternalCommand]
    /// The programs that are measured.
    let programs: TrialPrograms
    /// Whether any case is fetched over TLS.
    let usesTLS: Bool

    /// What the trials of a plan run in.
    init(_ plan: Plan, url: String?, commands: [String: ExternalCommand], programs: TrialPrograms) {
        rate = plan.settings.rate
        usesTLS = plan.usesTLS
        self.url = url
        self.commands = commands
        self.programs = programs
    }

    /// Starts both, does `body`, and ends both whatever happens.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (TrialSurroundings) async throws -> Result
    ) async throws -> Result {
        try await Surroundings.withTrialsDirectory { directory in
            let authority = directory + "/authority.pem"
            let arguments = ["serve", "--until-stdin-closes", "--rate", rate] + (usesTLS ? ["--tls", authority] : [])
            return try await OriginProcess.withOrigin(
                executable: Surroundings.executable, arguments: arguments,
                environment: Surroundings.originEnvironment(), lineCount: usesTLS ? 2 : 1
            ) { addresses in
                var surroundings = TrialSurroundings(
                    tracer: Surroundings.executable, programs: programs, originURL: addresses[0],
                    variables: Surroundings.variables.fixing(programs.environment),
                    temporaryDirectory: directory, foreignURLs: url.map { [Self.foreignAsset: $0] } ?? [:])
                surroundings.commands = commands
                if usesTLS {
                    surroundings.secureOrigin = SecureOrigin(url: addresses[1], certificateAuthorityPath: authority)
                }
                return try await body(surroundings)
            }
        }
    }
}
