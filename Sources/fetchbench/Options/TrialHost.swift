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

    /// Starts both, does `body`, and ends both whatever happens.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (TrialSurroundings) async throws -> Result
    ) async throws -> Result {
        try await Surroundings.withTrialsDirectory { directory in
            try await OriginProcess.withOrigin(
                executable: Surroundings.executable, arguments: ["serve", "--until-stdin-closes", "--rate", rate],
                environment: Surroundings.originEnvironment
            ) { originURL in
                var surroundings = TrialSurroundings(
                    executable: Surroundings.executable, originURL: originURL, world: Surroundings.world,
                    temporaryDirectory: directory, foreignURLs: url.map { [Self.foreignAsset: $0] } ?? [:])
                surroundings.commands = commands
                return try await body(surroundings)
            }
        }
    }
}
