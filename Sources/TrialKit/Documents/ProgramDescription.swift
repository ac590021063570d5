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
    public var abilities: Set<ModeAbility> {
        // This build cannot use others, which a newer program may have.
        get { Set(abilityNames.compactMap { ModeAbility(rawValue: $0) }) }
        set { abilityNames = Set(newValue.map(\.rawValue)) }
    }
    /// True if it hashes the body as it arrives.
    public var hashesOnTheWay: Bool
    /// The behaviour of a fetch whose Swift task is cancelled.
    public var onCancel: Cancellation.Conduct { conduct ?? (abilities.contains(.cancellation) ? .ends : .runsOn) }
    /// The kind of asset that it needs; `nil` for any.
    public var need: AssetNeed?
    /// True if it decodes and shows pictures itself, so that no render model does.
    public var showsItself: Bool { showsPictures ?? false }

    private var abilityNames: Set<String>
    /// `nil` from a program that is older, and where the abilities say it.
    private var conduct: Cancellation.Conduct?
    /// `nil` for all other modes, and from a program that is older than such modes.
    private var showsPictures: Bool?

    /// Declares a substitute for a mode, such as a command, for http and https and without a body.
    public init(name: String, summary: String) {
        (self.name, self.summary) = (name, summary)
        (schemes, abilityNames, yieldsBody, hashesOnTheWay) = (["http", "https"], [], false, false)
    }

    /// Declares a mode.
    public init(_ mode: any FetchMode) {
        (name, summary, caveat, need) = (mode.name, mode.summary, mode.caveat, mode.need)
        (schemes, abilityNames) = (mode.schemes, Set(mode.abilities.map(\.rawValue)))
        (yieldsBody, hashesOnTheWay) = (mode.yieldsBody, mode.hashesOnTheWay)
        showsPictures = mode.showsItself ? true : nil
        conduct = mode.onCancel == .hangs ? .hangs : nil
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, caveat, schemes, need
        case abilityNames = "abilities"
        case yieldsBody = "yields_body"
        case hashesOnTheWay = "hashes_on_the_way"
        case showsPictures = "shows_pictures"
        case conduct = "on_cancel"
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
    public var takesPieces: Bool { pieces ?? false }
    /// The kind of asset that it decodes.
    public var need: AssetNeed { kind ?? .image }

    // An older program has no models that take pieces, and none but of images.
    private var pieces: Bool?
    private var kind: AssetNeed?

    /// Declares a render model.
    public init(_ model: any RenderModel) {
        (name, summary, environment) = (model.name, model.summary, model.environment)
        (needsBody, pieces, kind) = (model.needsBody, model.takesPieces, model.need)
    }

    private enum CodingKeys: String, CodingKey {
        case name, summary, environment
        case needsBody = "needs_body"
        case pieces = "takes_pieces"
        case kind = "need"
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
