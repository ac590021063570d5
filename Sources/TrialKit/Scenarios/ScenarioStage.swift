// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The trial in which a player plays.
public struct ScenarioStage: Sendable {
    /// The chosen scenario.
    public let choice: ScenarioChoice
    /// The mode.
    public let mode: any FetchMode
    /// The settings of the mode.
    public let settings: FetchSettings
    /// The render model.
    public let model: any RenderModel
    /// The conditions of the case.
    public let conditions: FetchConditions
    /// The URL of the asset, or of a set's list.
    public let target: URL
    /// The URL of the 1 KiB asset for the warm-up.
    public let warmup: URL
    /// The members of a set; empty for a single asset.
    public let members: [ScenarioAsset]
    /// The request of the trial.
    public let request: TrialRequest

    /// The folder for files; the harness removes it.
    public var directory: String { request.directory }
    /// The view to render into, and the limits of decoding.
    public var rendering: RenderSettings { request.rendering }
    /// The seed of the trace: the same in every trial of a plan, so that two builds see the same trace.
    public var seed: UInt64 { request.traceSeed ?? request.seed }
    /// The seed of random choices in this trial and in its paired trial of the other build.
    public var trialSeed: UInt64 { request.seed }

    package init(
        _ request: TrialRequest, _ settings: FetchSettings, mode: any FetchMode, model: any RenderModel, target: URL,
        warmup: URL
    ) {
        choice = request.conditions?.scenario ?? .none
        self.mode = mode
        self.settings = settings
        self.model = model
        conditions = request.conditions ?? .standard
        self.target = target
        self.warmup = warmup
        members = request.members ?? []
        self.request = request
    }

    /// The limit of a player's waits in seconds, which ends before the trial's own limit.
    public var patienceSeconds: Int { max(1, (settings.idleTimeoutSeconds - TrialRequest.idleMarginSeconds) / 2) }

    /// Makes a fetcher as the mode of the trial does.
    public func makeFetcher() throws(FetchFailure) -> any Fetcher {
        try mode.makeFetcher(settings)
    }

    /// Makes a fetcher with room for this many connections, unless the plan has its own limit.
    /// - Parameter connections: The number of connections.
    public func makeFetcher(allowing connections: Int) throws(FetchFailure) -> any Fetcher {
        var settings = settings
        settings.maximumConnectionsPerHost = settings.maximumConnectionsPerHost ?? connections
        return try mode.makeFetcher(settings)
    }
}
