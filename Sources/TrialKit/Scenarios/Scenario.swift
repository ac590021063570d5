// SPDX-License-Identifier: Apache-2.0

/// What an application does with many fetches, as one trial: its phase `fetch` is a script of events instead of one call.
///
/// A scenario is a description; what plays it is the ``ScenarioPlayer`` it makes inside the trial's process.
public protocol Scenario: Sendable {
    /// The word of `--scenario`, the suites and the column `scenario`.
    var name: String { get }

    /// One line for `fetchbench list`: what happens in it.
    var summary: String { get }

    /// What can be asked for behind its name.
    var variants: [ScenarioVariant] { get }

    /// How often it does what it does, where a number behind its name says otherwise; `nil` where a number means nothing.
    var usualCount: Int? { get }

    /// The asset of the embedded origin that it is played with where none is named; `nil` for that of any plan.
    var usualAsset: String? { get }

    /// What it takes of the case that it is played in.
    var needs: ScenarioNeeds { get }

    /// The loader's policies that it can be played under; none where it needs none.
    var loaders: [LoaderDeclaration] { get }

    /// The question that the table of its figures answers.
    var question: String? { get }

    /// Its figures, in the order of the columns.
    var figures: [FigureDeclaration] { get }

    /// How their table is read: lines.
    var legend: [String] { get }

    /// Makes what plays it in this process; everything that the phase `fetch` should not count is made here.
    func makePlayer(on stage: ScenarioStage) async throws -> any ScenarioPlayer
}

extension Scenario {
    /// None.
    public var variants: [ScenarioVariant] { [] }
    /// None.
    public var loaders: [LoaderDeclaration] { [] }
    /// None: a number means nothing.
    public var usualCount: Int? { nil }
    /// None: that of any plan.
    public var usualAsset: String? { nil }
    /// None: its summary has to do.
    public var question: String? { nil }
    /// None.
    public var figures: [FigureDeclaration] { [] }
    /// None.
    public var legend: [String] { [] }
}

/// A scenario with a part that is played outside of the measured process, such as the clients of a server.
///
/// The part is played by the same program in a process of its own, which a ``Companion`` starts and ends.
public protocol AccompaniedScenario: Scenario {
    /// Plays the part: reads from standard input what to do, and answers on standard output, until the input ends.
    func accompany() throws
}

/// What plays a scenario, inside the trial's process.
///
/// Its functions are called in this order, each once, and never two at a time.
public protocol ScenarioPlayer: AnyObject {
    /// Does everything once that ``play()`` will do, so that libraries, thread pools and connections exist.
    func warmUp() async throws

    /// Plays it: the phase `fetch`. What is read here is written into memory that was touched before.
    func play() async throws

    /// Looks at what is left some time after it was played: the phase `hold`.
    func linger() async throws

    /// Lets go of everything but its readings: the phase `release`.
    func end() async

    /// What it came to; asked for when everything is measured.
    func reading() throws -> ScenarioReading
}

extension ScenarioPlayer {
    /// Nothing.
    public func linger() async throws {}
}

extension ScenarioDeclaration {
    /// Declares a scenario, word for word as it says it itself.
    public init(_ scenario: any Scenario) {
        self.init(
            name: scenario.name, summary: scenario.summary, variants: scenario.variants,
            usualCount: scenario.usualCount, usualAsset: scenario.usualAsset, needs: scenario.needs,
            loaders: scenario.loaders.isEmpty ? nil : scenario.loaders, question: scenario.question,
            figures: scenario.figures.isEmpty ? nil : scenario.figures,
            legend: scenario.legend.isEmpty ? nil : scenario.legend)
    }
}
