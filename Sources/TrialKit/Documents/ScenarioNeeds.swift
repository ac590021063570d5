// SPDX-License-Identifier: Apache-2.0

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
    public var concurrency: Bool
    /// True if the origin has to send the length of the body, without chunks and compression.
    public var length: Bool

    /// Creates the needs of a scenario, by default only a mode that fetches.
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

    /// Decodes needs; any concurrency is allowed for an older program, which does not report it.
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
}
