// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a player gets of the trial that it plays in.
public struct ScenarioStage: Sendable {
    /// What was asked for.
    public let choice: ScenarioChoice
    /// The mode that fetches.
    public let mode: any FetchMode
    /// What the mode may know of the trial.
    public let settings: FetchSettings
    /// The render model.
    public let model: any RenderModel
    /// The conditions of the case.
    public let conditions: FetchConditions
    /// The URL of the asset; of a set, that of its list.
    public let target: URL
    /// The URL of the 1 KiB asset for the warm-up.
    public let warmup: URL
    /// The members of a set; empty where the asset is a single one.
    public let members: [ScenarioAsset]
    /// What the harness knows of the document that made the trial: view, limits, folder, seed.
    public let request: TrialRequest

    /// The folder in which files may be made; the harness removes it.
    public var directory: String { request.directory }
    /// The view that is rendered into and the limits of decoding.
    public var rendering: RenderSettings { request.rendering }
    /// What the trace is drawn from: the same in every trial of a plan, so that two builds see the same.
    public var seed: UInt64 { request.traceSeed ?? request.seed }
    /// What is drawn by chance in this trial, and in the one of the other build that it is paired with.
    public var trialSeed: UInt64 { request.seed }

    init(
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

    /// How long a player waits for what should have happened long ago, in seconds: shorter than the trial may take, so
    /// that what it waited for is told before the harness ends the trial.
    public var patienceSeconds: Int { max(1, (settings.idleTimeoutSeconds - TrialRequest.idleMarginSeconds) / 2) }

    /// Makes what fetches, as the mode of the trial does it.
    public func makeFetcher() throws(FetchFailure) -> any Fetcher {
        try mode.makeFetcher(settings)
    }

    /// The same, with room for so many connections at once, unless the plan has a limit of its own.
    public func makeFetcher(allowing connections: Int) throws(FetchFailure) -> any Fetcher {
        var settings = settings
        settings.maximumConnectionsPerHost = settings.maximumConnectionsPerHost ?? connections
        return try mode.makeFetcher(settings)
    }
}
