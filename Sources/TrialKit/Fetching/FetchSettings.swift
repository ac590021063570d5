// SPDX-License-Identifier: Apache-2.0

/// What a mode may know about the trial it runs in.
public struct FetchSettings: Hashable, Sendable {
    /// How a body is verified, so that a mode that never holds it whole can hash it on the way.
    public var verification: Verification

    /// After how many seconds without a byte a mode gives up by itself, in whole seconds.
    ///
    /// Longer than the trial's own time limit, which is the one that decides.
    public var idleTimeoutSeconds: Int

    /// How long the consumer takes for each piece of the body, beside what it does with it, in nanoseconds.
    public var consumerDelayNanoseconds = 0

    /// The configuration of a session of URLSession.
    public var session = SessionKind.ephemeral

    /// How many connections a session may open to one host, or `nil` for what it does by itself.
    public var maximumConnectionsPerHost: Int?

    /// Whether the body is asked for in gzip, to be decoded by the mode.
    public var acceptsGzip = false

    /// The path of the PEM file with the authority that signs the embedded origin's certificate, or `nil` where the
    /// system's authorities are asked.
    public var certificateAuthorityPath: String?

    /// The view of a mode that shows pictures itself, and its limits of decoding.
    public var rendering = RenderSettings()

    /// What requests for the target carry beside what every request does, or `nil` where the user gave nothing and the URL
    /// holds no credentials; a mode asks ``carried(by:)``.
    public var target: TargetRequest?

    /// Creates the settings of a trial.
    public init(verification: Verification, idleTimeoutSeconds: Int) {
        self.verification = verification
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }
}

/// Where a session of URLSession keeps cookies, credentials and cached responses.
public enum SessionKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// In memory.
    case ephemeral
    /// In the stores that sessions share.
    case `default`
}

/// How a body is compared with the asset it should be.
public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// By its length and its SHA-256.
    case sha256
    /// By its length alone.
    case length
}
