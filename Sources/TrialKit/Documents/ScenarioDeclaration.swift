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
    /// The question that the table of its figures answers; `nil` where the summary has to do.
    public var question: String?
    /// Its figures, in the order of the columns; `nil` where it has none of its own.
    public var figures: [FigureDeclaration]?
    /// How their table is read: lines.
    public var legend: [String]?

    /// Declares a scenario.
    public init(
        name: String, summary: String, variants: [ScenarioVariant], usualCount: Int?, usualAsset: String? = nil,
        needs: ScenarioNeeds, loaders: [LoaderDeclaration]? = nil, question: String? = nil,
        figures: [FigureDeclaration]? = nil, legend: [String]? = nil
    ) {
        self.name = name
        self.summary = summary
        self.variants = variants
        self.usualCount = usualCount
        self.usualAsset = usualAsset
        self.needs = needs
        self.loaders = loaders
        self.question = question
        self.figures = figures
        self.legend = legend
    }

    /// The variant of a choice, or `nil` where it asks for none or for one that is not there.
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
    /// Whether it fetches one at a time where the scenario fetches as many at once as the case says.
    public var fetchesSingly: Bool

    /// Creates a variant.
    public init(
        _ name: String, _ summary: String, isControl: Bool = false, abilities: Set<ModeAbility> = [],
        needsOrigin: Bool = false, fetchesSingly: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.isControl = isControl
        self.abilities = abilities
        self.needsOrigin = needsOrigin
        self.fetchesSingly = fetchesSingly
    }

    /// Decodes a variant; an older program does not say how many it fetches at once.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        summary = try container.decode(String.self, forKey: .summary)
        isControl = try container.decode(Bool.self, forKey: .isControl)
        abilities = try container.decode(Set<ModeAbility>.self, forKey: .abilities)
        needsOrigin = try container.decode(Bool.self, forKey: .needsOrigin)
        fetchesSingly = try container.decodeIfPresent(Bool.self, forKey: .fetchesSingly) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, abilities
        case isControl = "control"
        case needsOrigin = "needs_origin"
        case fetchesSingly = "fetches_singly"
    }
}
