// SPDX-License-Identifier: Apache-2.0

/// A scenario as the harness sees it.
public struct ScenarioDeclaration: Codable, Hashable, Sendable {
    /// The value of `--scenario`, in suites and in the column `scenario`.
    public var name: String
    /// One line for lists.
    public var summary: String
    /// The variants.
    public var variants: [ScenarioVariant]
    /// The default count; `nil` if a count does not apply.
    public var usualCount: Int?
    /// The default asset of the embedded origin; `nil` for the plan's.
    public var usualAsset: String?
    /// Its requirements on the case.
    public var needs: ScenarioNeeds
    /// The loader policies that it supports; `nil` if it needs none.
    public var loaders: [LoaderDeclaration]?
    /// The question that the table of figures answers; `nil` for the summary.
    public var question: String?
    /// Its figures, in the order of the columns; `nil` for none.
    public var figures: [FigureDeclaration]?
    /// The lines of the table's legend.
    public var legend: [String]?

    /// Declares a scenario.
    public init(
        name: String, summary: String, variants: [ScenarioVariant], usualCount: Int?, usualAsset: String? = nil,
        needs: ScenarioNeeds, loaders: [LoaderDeclaration]? = nil, question: String? = nil,
        figures: [FigureDeclaration]? = nil, legend: [String]? = nil
    ) {
        (self.name, self.summary, self.variants) = (name, summary, variants)
        (self.usualCount, self.usualAsset, self.needs) = (usualCount, usualAsset, needs)
        (self.loaders, self.question, self.figures) = (loaders, question, figures)
        self.legend = legend
    }

    /// True if a choice cancels fetches.
    package func cancels(_ choice: ScenarioChoice) -> Bool {
        needs.cancels || needs.abilities.union(variant(of: choice)?.abilities ?? []).contains(.cancellation)
    }

    /// Returns the variant of a choice; `nil` if it has none, or an unknown one.
    public func variant(of choice: ScenarioChoice) -> ScenarioVariant? {
        variants.first { $0.name == choice.variant }
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, variants, needs, loaders, question, figures, legend
        case usualCount = "usual_count"
        case usualAsset = "usual_asset"
    }
}

/// A variant of a scenario.
public struct ScenarioVariant: Codable, Hashable, Sendable {
    /// The name, which follows the scenario's.
    public var name: String
    /// The difference from the scenario.
    public var summary: String
    /// True if it is bad on purpose, so that its figures have to be flagged.
    public var isControl: Bool
    /// The abilities of the mode that it needs in addition to the scenario's.
    public var abilities: Set<ModeAbility>
    /// True if it needs an asset on the embedded origin, whose responses can be controlled.
    public var needsOrigin: Bool
    /// True if it fetches one at a time although the scenario fetches as many at once as the case says.
    public var fetchesSingly: Bool { isSingle ?? false }

    // An older program does not report it.
    private var isSingle: Bool?

    /// Creates a variant.
    public init(
        _ name: String, _ summary: String, isControl: Bool = false, abilities: Set<ModeAbility> = [],
        needsOrigin: Bool = false, fetchesSingly: Bool = false
    ) {
        (self.name, self.summary, self.isControl) = (name, summary, isControl)
        (self.abilities, self.needsOrigin) = (abilities, needsOrigin)
        isSingle = fetchesSingly
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, abilities
        case isControl = "control"
        case needsOrigin = "needs_origin"
        case isSingle = "fetches_singly"
    }
}

/// The requirements of a scenario on its case.
public struct ScenarioNeeds: Codable, Hashable, Sendable {
    /// The use of the case's render model.
    public enum Rendering: String, Codable, Hashable, Sendable {
        /// Renders what it fetches, with any model.
        case any
        /// Renders in its own way or not at all: only the model `none` is allowed.
        case none
    }

    /// The abilities that the mode needs.
    public var abilities: Set<ModeAbility>
    /// True if the mode has to return a body.
    public var body: Bool
    /// The use of the render model.
    public var rendering: Rendering
    /// True if the asset has to be a set.
    public var set: Bool
    /// True if the asset has to be on the embedded origin.
    public var origin: Bool
    /// True if it uses a loader policy.
    public var loader: Bool
    /// True if it fetches as many at once as the case says; otherwise only 1 is allowed.
    public var concurrency: Bool { isConcurrent ?? true }
    /// True if the origin has to send the length of the body, without chunks and compression.
    public var length: Bool { needsLength ?? false }
    /// True if it cancels fetches, whether or not the mode lets them run on.
    public var cancels: Bool { isCancelling ?? false }

    // An older program does not report these.
    private var isConcurrent: Bool?
    private var needsLength: Bool?
    private var isCancelling: Bool?

    /// Creates the needs of a scenario, by default only a mode that fetches.
    public init(
        abilities: Set<ModeAbility> = [], body: Bool = false, rendering: Rendering = .none, set: Bool = false,
        origin: Bool = false, loader: Bool = false, concurrency: Bool = false, length: Bool = false,
        cancels: Bool = false
    ) {
        (self.abilities, self.body, self.rendering) = (abilities, body, rendering)
        (self.set, self.origin, self.loader) = (set, origin, loader)
        (isConcurrent, needsLength, isCancelling) = (concurrency, length, cancels)
    }

    private enum CodingKeys: String, CodingKey {
        case abilities, body, rendering, set, origin, loader
        case isConcurrent = "concurrency"
        case needsLength = "length"
        case isCancelling = "cancels"
    }
}

/// The part of a scenario that is played by a process which the scenario starts itself.
public struct ScenarioPart: Codable, Hashable, Sendable {
    /// The name of the part.
    public var name: String
    /// The URL to fetch in place of the trial's.
    public var url: String

    /// Creates a part.
    public init(name: String, url: String) { (self.name, self.url) = (name, url) }
}
