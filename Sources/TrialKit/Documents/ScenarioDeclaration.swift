// SPDX-License-Identifier: Apache-2.0

/// What a harness has to know of a scenario, word for word as the scenario says it.
public struct ScenarioDeclaration: Codable, Hashable, Sendable {
    /// The word of `--scenario`, the suites and the column `scenario`.
    public var name: String
    /// One line for lists: what happens in it.
    public var summary: String
    /// What can be asked for behind its name.
    public var variants: [ScenarioVariant]
    /// How often it does what it does; `nil` where a number means nothing.
    public var usualCount: Int?
    /// The asset of the embedded origin that it is played with where none is named; `nil` for that of any plan.
    public var usualAsset: String?
    /// What it takes of the case that it is played in.
    public var needs: ScenarioNeeds
    /// The loader's policies that it can be played under; `nil` where it needs none.
    public var loaders: [LoaderDeclaration]?

    /// Declares a scenario.
    public init(
        name: String, summary: String, variants: [ScenarioVariant], usualCount: Int?, usualAsset: String? = nil,
        needs: ScenarioNeeds, loaders: [LoaderDeclaration]? = nil
    ) {
        self.name = name
        self.summary = summary
        self.variants = variants
        self.usualCount = usualCount
        self.usualAsset = usualAsset
        self.needs = needs
        self.loaders = loaders
    }

    /// The variant of a choice, or `nil` where it asks for none or for one that is not there.
    public func variant(of choice: ScenarioChoice) -> ScenarioVariant? {
        variants.first { $0.name == choice.variant }
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, variants, needs, loaders
        case usualCount = "usual_count"
        case usualAsset = "usual_asset"
    }
}

/// A variant of a scenario.
public struct ScenarioVariant: Codable, Hashable, Sendable {
    /// The word behind the scenario's name.
    public var name: String
    /// What it does differently.
    public var summary: String
    /// Whether it is bad on purpose, so that its figures have to be flagged.
    public var isControl: Bool
    /// What it takes of the mode beside what the scenario takes.
    public var abilities: Set<ModeAbility>
    /// Whether it takes an asset on the embedded origin, which can be told how to answer.
    public var needsOrigin: Bool

    /// Creates a variant.
    public init(
        _ name: String, _ summary: String, isControl: Bool = false, abilities: Set<ModeAbility> = [],
        needsOrigin: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.isControl = isControl
        self.abilities = abilities
        self.needsOrigin = needsOrigin
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, abilities
        case isControl = "control"
        case needsOrigin = "needs_origin"
    }
}

/// What a scenario takes of the case that it is played in.
public struct ScenarioNeeds: Codable, Hashable, Sendable {
    /// What is done with the render model of the case.
    public enum Rendering: String, Codable, Hashable, Sendable {
        /// It renders what it fetches, with any model.
        case any
        /// It renders in a way of its own, or nothing at all: only `none` can be asked for.
        case none
    }

    /// What the mode has to be able to do.
    public var abilities: Set<ModeAbility>
    /// Whether the mode has to leave a body behind.
    public var body: Bool
    /// What is done with the render model.
    public var rendering: Rendering
    /// Whether the asset has to be a set of them.
    public var set: Bool
    /// Whether the asset has to be on the embedded origin.
    public var origin: Bool
    /// Whether it is played under a loader's policy.
    public var loader: Bool

    /// Creates what is taken; by itself a scenario takes nothing but a mode that fetches.
    public init(
        abilities: Set<ModeAbility> = [], body: Bool = false, rendering: Rendering = .none, set: Bool = false,
        origin: Bool = false, loader: Bool = false
    ) {
        self.abilities = abilities
        self.body = body
        self.rendering = rendering
        self.set = set
        self.origin = origin
        self.loader = loader
    }
}
