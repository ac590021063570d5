// SPDX-License-Identifier: Apache-2.0

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
