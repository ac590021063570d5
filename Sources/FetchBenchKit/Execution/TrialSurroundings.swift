// SPDX-License-Identifier: Apache-2.0

/// What trials need of their surroundings.
public struct TrialSurroundings: Sendable {
    /// The path of the program that has the subcommand `trial`.
    public var executable: String
    /// The address of the embedded origin.
    public var originURL: String
    /// What builds the trials' environment.
    public var world: WorldBuilder
    /// The folder in which each trial gets one of its own.
    public var temporaryDirectory: String
    /// The real URLs of the foreign assets, by name: plans and runs hold them with credentials redacted.
    public var foreignURLs: [String: String]
    /// The real commands, by name: plans and runs hold them without credentials and folders.
    public var commands: [String: ExternalCommand] = [:]
    /// The address of the embedded origin over TLS, and the path of the authority that signs its certificate; `nil`
    /// where the plan has no case that is fetched over it.
    public var secureOrigin: SecureOrigin?
    /// What trials hold on purpose, to show that a check sees it; none in every real run.
    public var planted = PlantedBallast()

    /// Creates the surroundings.
    public init(
        executable: String, originURL: String, world: WorldBuilder, temporaryDirectory: String,
        foreignURLs: [String: String]
    ) {
        self.executable = executable
        self.originURL = originURL
        self.world = world
        self.temporaryDirectory = temporaryDirectory
        self.foreignURLs = foreignURLs
    }
}

/// Where the embedded origin is reached over TLS.
public struct SecureOrigin: Hashable, Sendable {
    /// Its address: `https://127.0.0.1:PORT`.
    public var url: String
    /// The path of the PEM file with its authority.
    public var certificateAuthorityPath: String

    /// Creates an address.
    public init(url: String, certificateAuthorityPath: String) {
        self.url = url
        self.certificateAuthorityPath = certificateAuthorityPath
    }
}
