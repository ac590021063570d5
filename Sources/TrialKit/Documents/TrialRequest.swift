// SPDX-License-Identifier: Apache-2.0

/// The one document that tells a trial's process what to do; it arrives on standard input.
public struct TrialRequest: Codable, Hashable, Sendable {
    /// The versions of the two documents between harness and trial that are understood; another one is refused.
    ///
    /// The second knows conditions, each later one a further dimension, the sixth the details of a request, the seventh the
    /// figures that scenarios declare. What needs none is still asked in the first, so that a build can be compared with an
    /// older one.
    public static let understoodProtocols = 1...7

    /// How much longer a mode waits for a byte than its trial may take, in seconds.
    package static let idleMarginSeconds = 5

    /// The version of this document.
    public var version: Int
    /// The name of the mode.
    public var mode: String
    /// The name of the render model.
    public var render: String
    /// The URL of the 1 KiB asset for the warm-up.
    public var warmupURL: String
    /// The URL to fetch.
    public var url: String
    /// Whether the URL is foreign, so that its header is asked for in the warm-up: TLS and names are loaded then.
    public var warmsTarget: Bool
    /// The folder in which the trial may make files; the harness removes it.
    public var directory: String
    /// How bodies are verified.
    public var verification: Verification
    /// After how many seconds without a byte a mode gives up by itself.
    public var idleTimeoutSeconds: Int
    /// The view that is rendered into, and the limits of decoding.
    public var rendering: RenderSettings
    /// What the trial may draw by chance.
    public var seed: UInt64
    /// How many bytes more the fetch holds on purpose, to show that a check sees them; 0 in every real trial.
    public var plantedByteCount = 0
    /// The same, held from before the warm-up on; `nil` in every real trial.
    public var plantedAtStartByteCount: Int?
    /// Under which conditions is fetched, where they are unusual.
    public var conditions: FetchConditions?
    /// How many connections a session may open to one host, or `nil` for what the mode does by itself.
    public var maximumConnections: Int?
    /// The path of the authority that signs the origin's certificate, or `nil` where the system's are asked.
    public var certificateAuthorityPath: String?
    /// What the trace of a scenario is drawn from: the same in every trial of a plan, so that two builds see the same.
    public var traceSeed: UInt64?
    /// What this process plays of a scenario that has started it itself, or `nil` in the process that is measured.
    public var scenarioPart: ScenarioPart?
    /// The members of the asset, where it is a set of them.
    public var members: [ScenarioAsset]?
    /// Header fields, method and body of requests for the target, or `nil` where the user gave none; set by ``ask(with:)``.
    public var details: RequestDetails?

    /// Creates the document.
    public init(
        mode: String, render: String, warmupURL: String, url: String, warmsTarget: Bool, directory: String,
        verification: Verification, idleTimeoutSeconds: Int, rendering: RenderSettings, seed: UInt64
    ) {
        version = 1
        self.mode = mode
        self.render = render
        self.warmupURL = warmupURL
        self.url = url
        self.warmsTarget = warmsTarget
        self.directory = directory
        self.verification = verification
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.rendering = rendering
        self.seed = seed
    }

    /// Asks for conditions, which the first version of the document does not know.
    public mutating func ask(for conditions: FetchConditions, maximumConnections: Int?) {
        guard conditions != .standard || maximumConnections != nil else { return }
        version = max(2, conditions.documentVersion)
        self.conditions = conditions
        self.maximumConnections = maximumConnections
    }

    /// Asks with details, which no version of the document before the sixth knows.
    public mutating func ask(with details: RequestDetails) {
        version = max(version, RequestDetails.documentVersion)
        self.details = details
    }
}
