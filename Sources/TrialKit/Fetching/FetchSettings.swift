// SPDX-License-Identifier: Apache-2.0

/// The settings of a trial, as far as a mode needs them.
public struct FetchSettings: Hashable, Sendable {
    /// The verification of bodies, so that a mode that never holds a whole body can hash it as it arrives.
    public var verification: Verification

    /// The time-out without a byte, in whole seconds.
    ///
    /// It is longer than the trial's own time limit, which decides.
    public var idleTimeoutSeconds: Int

    /// The additional time that the consumer takes for each piece of the body, in nanoseconds.
    public var consumerDelayNanoseconds = 0

    /// The kind of URLSession configuration.
    public var session = SessionKind.bare

    /// The limit of a session's connections to one host; `nil` for the default.
    public var maximumConnectionsPerHost: Int?

    /// True if the body is requested in gzip, for the mode to decode.
    public var acceptsGzip = false

    /// The version of HTTP to speak; HTTP/2 only over TLS.
    public var http = HTTPProtocol.http1

    /// The PEM file with the authority of the embedded origin's certificate; `nil` for the system's authorities.
    public var certificateAuthorityPath: String?

    /// The view and the decoding limits of a mode that shows pictures itself.
    public var rendering = RenderSettings()

    /// The user's details for requests to the target, or a URL's credentials; `nil` for neither.
    ///
    /// Modes read ``carried(by:)``.
    public var target: TargetRequest?

    /// Creates the settings of a trial.
    public init(verification: Verification, idleTimeoutSeconds: Int) {
        self.verification = verification
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }
}

/// The way a body is compared with its asset.
public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// Length and SHA-256.
    case sha256
    /// Length only.
    case length
}
