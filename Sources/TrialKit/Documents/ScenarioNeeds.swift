// SPDX-License-Identifier: Apache-2.0

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
    /// Whether it fetches as many at once as the case says; where not, only 1 can be asked for.
    public var concurrency: Bool
    /// Whether the origin has to tell how long the body is: it is neither sent in chunks nor compressed.
    public var length: Bool

    /// Creates what is taken; by itself a scenario takes nothing but a mode that fetches.
    public init(
        abilities: Set<ModeAbility> = [], body: Bool = false, rendering: Rendering = .none, set: Bool = false,
        origin: Bool = false, loader: Bool = false, concurrency: Bool = false, length: Bool = false
    ) {
        self.abilities = abilities
        self.body = body
        self.rendering = rendering
        self.set = set
        self.origin = origin
        self.loader = loader
        self.concurrency = concurrency
        self.length = length
    }

    /// Decodes what is taken; an older program says nothing of how many it fetches at once, and nothing is refused.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        abilities = try container.decode(Set<ModeAbility>.self, forKey: .abilities)
        body = try container.decode(Bool.self, forKey: .body)
        rendering = try container.decode(Rendering.self, forKey: .rendering)
        set = try container.decode(Bool.self, forKey: .set)
        origin = try container.decode(Bool.self, forKey: .origin)
        loader = try container.decode(Bool.self, forKey: .loader)
        concurrency = try container.decodeIfPresent(Bool.self, forKey: .concurrency) ?? true
        length = try container.decodeIfPresent(Bool.self, forKey: .length) ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case abilities, body, rendering, set, origin, loader, concurrency, length
    }
}
