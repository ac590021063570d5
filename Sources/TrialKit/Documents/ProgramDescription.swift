// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The abilities of a trial program, as it reports them for `--describe`.
public struct ProgramDescription: Codable, Hashable, Sendable {
    /// The versions of documents that it supports, as in ``TrialRequest/understoodProtocols``.
    public var protocols: ClosedRange<Int>
    /// Its modes, in the order of lists.
    public var modes: [ModeDeclaration]
    /// Its render models, in the order of lists.
    public var renderModels: [RenderModelDeclaration]
    /// Its scenarios, in the order of lists; `nil` from a program that is older than scenarios.
    public var scenarios: [ScenarioDeclaration]?
    /// The malloc that it runs on.
    public var allocator: AllocatorIdentity

    /// Describes a program.
    public init(
        modes: [any FetchMode], renderModels: [any RenderModel], scenarios: [ScenarioDeclaration] = [],
        allocator: AllocatorIdentity
    ) {
        protocols = TrialRequest.understoodProtocols
        self.modes = modes.map(ModeDeclaration.init)
        self.renderModels = renderModels.map(RenderModelDeclaration.init)
        (self.scenarios, self.allocator) = (scenarios, allocator)
    }

    private enum CodingKeys: String, CodingKey {
        case protocols, modes, scenarios, allocator
        case renderModels = "render_models"
    }
}

/// A ``FetchMode`` as the harness sees it.
public struct ModeDeclaration: Codable, Hashable, Sendable {
    /// The value of `--mode`, in suites and in the column `mode`.
    public var name: String
    /// One line for lists.
    public var summary: String
    /// A caveat for readers of its figures, or `nil`.
    public var caveat: String?
    /// The supported URL schemes, in lower case.
    public var schemes: Set<String>
    /// True if it returns a body that can be rendered.
    public var yieldsBody: Bool
    /// The dimensions of a plan that apply to it.
    public var abilities: Set<ModeAbility>
    /// True if it hashes the body as it arrives.
    public var hashesOnTheWay: Bool
    /// The kind of asset that it needs; `nil` for any.
    public var need: AssetNeed?
    /// True if it decodes and shows pictures itself, so that no render model does.
    public var showsItself: Bool { showsPictures ?? false }

    /// `nil` for all other modes, and from a program that is older than such modes.
    private var showsPictures: Bool?

    /// Declares a substitute for a mode, such as a command, for http and https and without a body.
    public init(name: String, summary: String) {
        (self.name, self.summary) = (name, summary)
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

    /// Decodes a declaration; unknown abilities are ignored, because this build cannot use them.
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

/// A ``RenderModel`` as the harness sees it.
public struct RenderModelDeclaration: Codable, Hashable, Sendable {
    /// The value of `--render`, in suites and in the column `render`.
    public var name: String
    /// One line for lists.
    public var summary: String
    /// True if it decodes the body.
    public var needsBody: Bool
    /// The environment that the process needs from its start.
    public var environment: [String: String]
    /// True if it takes the body in pieces as it arrives.
    public var takesPieces: Bool
    /// The kind of asset that it decodes.
    public var need: AssetNeed

    /// Declares a render model.
    public init(_ model: any RenderModel) {
        name = model.name
        summary = model.summary
        needsBody = model.needsBody
        environment = model.environment
        takesPieces = model.takesPieces
        need = model.need
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, environment, need
        case needsBody = "needs_body"
        case takesPieces = "takes_pieces"
    }

    /// Decodes a declaration; an older program has no models that take pieces, and none but of images.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        summary = try container.decode(String.self, forKey: .summary)
        needsBody = try container.decode(Bool.self, forKey: .needsBody)
        environment = try container.decode([String: String].self, forKey: .environment)
        takesPieces = try container.decodeIfPresent(Bool.self, forKey: .takesPieces) ?? false
        need = try container.decodeIfPresent(AssetNeed.self, forKey: .need) ?? .image
    }
}

/// A loader's policy for scenarios, as the harness sees it.
public struct LoaderDeclaration: Codable, Hashable, Sendable {
    /// The value of `--loader`.
    public var name: String
    /// The title in text: that it is a model, and of what.
    public var title: String
    /// The mode whose transfer is that of the library.
    public var closestMode: String
    /// The policy's figures with their sources, one sentence each.
    public var figures: [String]

    /// Declares a policy.
    public init(name: String, title: String, closestMode: String, figures: [String]) {
        (self.name, self.title, self.closestMode) = (name, title, closestMode)
        self.figures = figures
    }

    private enum CodingKeys: String, CodingKey {
        case name, title, figures
        case closestMode = "closest_mode"
    }
}
