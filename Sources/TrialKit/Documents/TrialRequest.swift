// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The document that a trial's process reads from standard input.
public struct TrialRequest: Codable, Hashable, Sendable {
    /// The supported versions of the two documents between harness and trial; others are refused.
    ///
    /// The second has conditions, each later one a further dimension, the sixth the details of a request, the seventh
    /// the figures that scenarios declare, the eighth further sessions, destinations, the version of HTTP and the allocator's
    /// series. Requests without them still use the first, so that a build can be compared with an older one.
    public static let understoodProtocols = 1...8

    /// The mode's idle time-out beyond the time limit of its trial, in seconds.
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
    /// True for a foreign URL, for which the warm-up sends a HEAD request, to load TLS and resolve the name.
    public var warmsTarget: Bool
    /// The folder for the trial's files; the harness removes it.
    public var directory: String
    /// The folder on another file system in which bodies have to end, removed by the harness; `nil` for ``directory``.
    public var destinationDirectory: String?
    /// The verification of bodies.
    public var verification: Verification
    /// The mode's time-out without a byte, in seconds.
    public var idleTimeoutSeconds: Int
    /// The view to render into, and the limits of decoding.
    public var rendering: RenderSettings
    /// The seed of random choices in this trial.
    public var seed: UInt64
    /// The bytes that the fetch holds on purpose, to prove that a check detects them; 0 in every real trial.
    public var plantedByteCount = 0
    /// The same, held since before the warm-up; `nil` in every real trial.
    public var plantedAtStartByteCount: Int?
    /// The conditions, unless they are the default ones.
    public var conditions: FetchConditions?
    /// The limit of connections to one host; `nil` for the mode's own.
    public var maximumConnections: Int?
    /// The path of the authority that signs the origin's certificate; `nil` for the system's authorities.
    public var certificateAuthorityPath: String?
    /// The seed of a scenario's trace: the same in every trial of a plan, so that two builds see the same trace.
    public var traceSeed: UInt64?
    /// The part of a scenario that this process plays; `nil` in the measured process.
    public var scenarioPart: ScenarioPart?
    /// The members of the asset, if it is a set.
    public var members: [ScenarioAsset]?
    /// Header fields, method and body of requests for the target, if the user gave any; set by ``ask(with:)``.
    public var details: RequestDetails?
    /// The time between two readings of the allocator's statistics, which a thread of the process takes; `nil` in every
    /// measured trial.
    public var allocatorSeriesNanoseconds: Int?

    /// Creates the document.
    public init(
        mode: String, render: String, warmupURL: String, url: String, warmsTarget: Bool, directory: String,
        verification: Verification, idleTimeoutSeconds: Int, rendering: RenderSettings, seed: UInt64
    ) {
        version = 1
        (self.mode, self.render, self.warmupURL, self.url) = (mode, render, warmupURL, url)
        (self.warmsTarget, self.directory) = (warmsTarget, directory)
        (self.verification, self.idleTimeoutSeconds) = (verification, idleTimeoutSeconds)
        (self.rendering, self.seed) = (rendering, seed)
    }

    /// Sets conditions, which require the second version of the document or a later one.
    public mutating func ask(for conditions: FetchConditions, maximumConnections: Int?) {
        let conditions = conditions.ofFetch
        guard conditions != .standard || maximumConnections != nil else { return }
        version = max(2, conditions.documentVersion)
        (self.conditions, self.maximumConnections) = (conditions, maximumConnections)
    }

    /// Sets details, which require the sixth version of the document.
    public mutating func ask(with details: RequestDetails) {
        version = max(version, RequestDetails.documentVersion)
        self.details = details
    }

    /// Asks for ``TrialReport/allocatorSeries``, which requires the eighth version of the document.
    package mutating func ask(forAllocatorEvery nanoseconds: Int) {
        version = max(version, AllocatorSeries.documentVersion)
        allocatorSeriesNanoseconds = nanoseconds
    }
}

extension TrialRequest {
    /// Returns the settings with the details of requests for the target, whose body is read now.
    /// - Throws: ``FetchFailure`` if the body cannot be read.
    func fetchSettings(for target: URL) throws(FetchFailure) -> FetchSettings {
        var settings = fetchSettings
        settings.target = try TargetRequest.of(details, for: target)
        return settings
    }

    var fetchSettings: FetchSettings {
        let conditions = conditions ?? .standard
        var settings = FetchSettings(verification: verification, idleTimeoutSeconds: idleTimeoutSeconds)
        settings.consumerDelayNanoseconds = conditions.consumerDelayNanoseconds
        settings.session = conditions.session
        settings.maximumConnectionsPerHost = maximumConnections
        settings.acceptsGzip = conditions.transfer == .gzip
        settings.http = conditions.http
        settings.certificateAuthorityPath = certificateAuthorityPath
        settings.rendering = rendering
        return settings
    }
}
