// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// What a trial program can do, as it says itself when it is started with `--describe`.
public struct ProgramDescription: Codable, Hashable, Sendable {
    /// The versions of the documents that it understands, as in ``TrialRequest/understoodProtocols``.
    public var protocols: ClosedRange<Int>
    /// Its modes, in the order in which lists show them.
    public var modes: [ModeDeclaration]
    /// Its render models, in the order in which lists show them.
    public var renderModels: [RenderModelDeclaration]
    /// Its scenarios, in the order in which lists show them; `nil` of a program that is older than scenarios.
    public var scenarios: [ScenarioDeclaration]?
    /// The malloc that it really runs on.
    public var allocator: AllocatorIdentity

    /// Describes a program that has these modes, models and scenarios.
    public init(
        modes: [any FetchMode], renderModels: [any RenderModel], scenarios: [ScenarioDeclaration] = [],
        allocator: AllocatorIdentity
    ) {
        protocols = TrialRequest.understoodProtocols
        self.modes = modes.map(ModeDeclaration.init)
        self.renderModels = renderModels.map(RenderModelDeclaration.init)
        self.scenarios = scenarios
        self.allocator = allocator
    }

    private enum CodingKeys: String, CodingKey {
        case protocols, modes, scenarios, allocator
        case renderModels = "render_models"
    }
}

/// What a harness has to know of a ``FetchMode``, word for word as the mode says it.
public struct ModeDeclaration: Codable, Hashable, Sendable {
    /// The word of `--mode`, the suites and the column `mode`.
    public var name: String
    /// One line for lists: what is fetched into what.
    public var summary: String
    /// What a reader of its figures has to know, or `nil`.
    public var caveat: String?
    /// The URL schemes it can fetch, in lower case.
    public var schemes: Set<String>
    /// Whether it leaves a body behind that can be rendered.
    public var yieldsBody: Bool
    /// Which dimensions of a plan mean anything to it.
    public var abilities: Set<ModeAbility>
    /// Whether a body is hashed while it arrives.
    public var hashesOnTheWay: Bool
    /// What an asset has to be for it, or `nil` where any will do.
    public var need: AssetNeed?
    /// Whether it decodes and shows pictures itself, so that no render model is to do it again.
    public var showsItself: Bool { showsPictures ?? false }

    /// `nil` of every other mode, and of all those of a program that is older than such modes.
    private var showsPictures: Bool?

    /// Declares something that fetches http and https like a mode, and leaves no body behind.
    public init(name: String, summary: String) {
        self.name = name
        self.summary = summary
        schemes = ["http", "https"]
        yieldsBody = false
        abilities = []
        hashesOnTheWay = false
    }

    /// Declares a mode.
    public init(_ mode: any FetchMode) {
        name = mode.name
        summary = mode.summary
        caveat = mode.caveat
        schemes = mode.schemes
        yieldsBody = mode.yieldsBody
        abilities = mode.abilities
        hashesOnTheWay = mode.hashesOnTheWay
        need = mode.need
        showsPictures = mode.showsItself ? true : nil
    }

    /// Decodes a declaration; an ability that is unknown here is one that nobody here can ask for.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        summary = try container.decode(String.self, forKey: .summary)
        caveat = try container.decodeIfPresent(String.self, forKey: .caveat)
        schemes = try container.decode(Set<String>.self, forKey: .schemes)
        yieldsBody = try container.decode(Bool.self, forKey: .yieldsBody)
        abilities = Set(
            try container.decode([String].self, forKey: .abilities).compactMap { ModeAbility(rawValue: $0) })
        hashesOnTheWay = try container.decode(Bool.self, forKey: .hashesOnTheWay)
        need = try container.decodeIfPresent(AssetNeed.self, forKey: .need)
        showsPictures = try container.decodeIfPresent(Bool.self, forKey: .showsPictures)
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, caveat, schemes, abilities, need
        case yieldsBody = "yields_body"
        case hashesOnTheWay = "hashes_on_the_way"
        case showsPictures = "shows_pictures"
    }
}

/// What a harness has to know of a ``RenderModel``, word for word as the model says it.
public struct RenderModelDeclaration: Codable, Hashable, Sendable {
    /// The word of `--render`, the suites and the column `render`.
    public var name: String
    /// One line for lists: what it does and what it stands for.
    public var summary: String
    /// Whether it decodes the body.
    public var needsBody: Bool
    /// What the process needs in its environment from its start.
    public var environment: [String: String]
    /// Whether it takes the body in pieces while it arrives.
    public var takesPieces: Bool

    /// Declares a render model.
    public init(_ model: any RenderModel) {
        name = model.name
        summary = model.summary
        needsBody = model.needsBody
        environment = model.environment
        takesPieces = model.takesPieces
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, environment
        case needsBody = "needs_body"
        case takesPieces = "takes_pieces"
    }

    /// Decodes a declaration; a program of an older build says nothing of pieces, and has no model that takes them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        summary = try container.decode(String.self, forKey: .summary)
        needsBody = try container.decode(Bool.self, forKey: .needsBody)
        environment = try container.decode([String: String].self, forKey: .environment)
        takesPieces = try container.decodeIfPresent(Bool.self, forKey: .takesPieces) ?? false
    }
}
