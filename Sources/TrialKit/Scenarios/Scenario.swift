// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A trial with many fetches: its phase `fetch` is a script of events, as in an application.
///
/// A scenario is a description; the ``ScenarioPlayer`` that it makes in the trial's process plays it.
public protocol Scenario: Sendable {
    /// The value of `--scenario`, in suites and in the column `scenario`.
    var name: String { get }

    /// One line for `fetchbench list`.
    var summary: String { get }

    /// The variants.
    var variants: [ScenarioVariant] { get }

    /// The default count; `nil` if a count does not apply.
    var usualCount: Int? { get }

    /// The default asset of the embedded origin; `nil` for the plan's.
    var usualAsset: String? { get }

    /// Its requirements on the case.
    var needs: ScenarioNeeds { get }

    /// The loader policies that it supports; empty if it needs none.
    var loaders: [LoaderDeclaration] { get }

    /// The question that the table of its figures answers.
    var question: String? { get }

    /// Its figures, in the order of the columns.
    var figures: [FigureDeclaration] { get }

    /// The lines of the table's legend.
    var legend: [String] { get }

    /// Makes the player; whatever the phase `fetch` should not count is made here.
    func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer
}

extension Scenario {
    /// Empty.
    public var variants: [ScenarioVariant] { [] }
    /// Empty.
    public var loaders: [LoaderDeclaration] { [] }
    /// `nil`: a count does not apply.
    public var usualCount: Int? { nil }
    /// `nil`: the plan's.
    public var usualAsset: String? { nil }
    /// `nil`: the summary.
    public var question: String? { nil }
    /// Empty.
    public var figures: [FigureDeclaration] { [] }
    /// Empty.
    public var legend: [String] { [] }
}

/// A scenario with a part outside of the measured process, such as the clients of a server.
///
/// The same program plays it in a second process, which a ``Companion`` starts and ends.
public protocol AccompaniedScenario: Scenario {
    /// Plays the part: reads orders from standard input and writes answers to standard output, until the input ends.
    func accompany() throws
}

/// Plays a scenario in the trial's process.
///
/// Its functions are called once each, in this order and never concurrently.
public protocol ScenarioPlayer: AnyObject {
    /// Does everything once that ``play()`` will do, so that libraries, thread pools and connections exist.
    func warmUp() async throws

    /// Plays the scenario: the phase `fetch`. Readings are written to memory that was touched before.
    func play() async throws

    /// Reads what is left some time after ``play()``: the phase `hold`.
    func linger() async throws

    /// Releases everything but its readings: the phase `release`.
    func end() async

    /// Returns the result, after all measurements.
    func reading() throws -> ScenarioReading
}

extension ScenarioPlayer {
    /// Does nothing.
    public func linger() async throws {}
}

extension ScenarioDeclaration {
    /// Declares a scenario.
    public init(_ scenario: any Scenario) {
        self.init(
            name: scenario.name, summary: scenario.summary, variants: scenario.variants,
            usualCount: scenario.usualCount, usualAsset: scenario.usualAsset, needs: scenario.needs,
            loaders: scenario.loaders.isEmpty ? nil : scenario.loaders, question: scenario.question,
            figures: scenario.figures.isEmpty ? nil : scenario.figures,
            legend: scenario.legend.isEmpty ? nil : scenario.legend)
    }
}

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
        (self.mode, self.settings, self.model) = (mode, settings, model)
        conditions = request.conditions ?? .standard
        (self.target, self.warmup) = (target, warmup)
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

package enum CommonScenarios {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [RepeatScenario(), ConcurrencyScenario()]

    /// Returns the scenarios of a program; one of its own replaces the common one of the same name.
    ///
    /// The order is that of the columns of tables, which keep their places.
    package static func all(with own: [any Scenario]) -> [any Scenario] {
        let replaced = Set(own.map(\.name))
        let common = all.filter { !replaced.contains($0.name) }
        return common.prefix(1) + own + common.dropFirst()
    }
}

/// A random number generator for the traces of scenarios, determined by its seed.
///
/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Statistics has the
/// same one, but is not linked into measured processes.
package struct TraceGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
