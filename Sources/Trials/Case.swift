// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A case of a plan: an asset, a mode, a render model, an allocator and conditions; or a plain command with parameters.
package struct Case: Hashable, Sendable {
    /// The name of the asset; ``nullAsset`` in the null case and of plain commands.
    package var asset: String
    package var mode: String
    package var render: String
    package var allocator: AllocatorArm
    package var conditions: FetchConditions
    /// The parameters of a plain command, otherwise empty; a secret value is replaced by a number.
    package var parameters: [CommandParameter.Value] = []

    package static let nullAsset = "none"

    package init(
        asset: String, mode: String, render: String, allocator: AllocatorArm, conditions: FetchConditions = .standard
    ) {
        (self.asset, self.mode, self.render, self.allocator) = (asset, mode, render, allocator)
        self.conditions = conditions
    }

    package var isPlain: Bool { asset == Self.nullAsset && mode != Self.nullMode }

    /// The asset of a case of a server.
    package static let servedAsset = "endpoint"

    /// The scenario that every server plays.
    package static let servedScenario = "requests"

    package var scenarioName: String { isServer ? Self.servedScenario : conditions.scenario.name }

    package var isServer: Bool { asset == Self.servedAsset }

    /// True for a command that is measured on its own: one that fetches nothing, or a server.
    package var isOwnCommand: Bool { isPlain || isServer }

    /// True if nothing is fetched or run: the floor of the method itself.
    package var isNull: Bool { asset == Self.nullAsset && mode == Self.nullMode }

    package static let nullMode = "none"

    /// The render model that keeps the fetched body as it is.
    package static let withoutRendering = "none"

    package static func null(on allocator: AllocatorArm) -> Case {
        Case(asset: nullAsset, mode: nullMode, render: withoutRendering, allocator: allocator)
    }

    package static func plain(
        _ command: String, with parameters: [CommandParameter.Value] = [], on allocator: AllocatorArm
    ) -> Case {
        var cell = Case(asset: nullAsset, mode: command, render: withoutRendering, allocator: allocator)
        cell.parameters = parameters
        return cell
    }
}

extension Case: Codable {
    private enum CodingKeys: String, CodingKey {
        case asset, mode, render, allocator, conditions, parameters
    }

    /// Decodes a case; missing conditions are the standard ones.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        asset = try container.decode(String.self, forKey: .asset)
        mode = try container.decode(String.self, forKey: .mode)
        render = try container.decode(String.self, forKey: .render)
        allocator = try container.decode(AllocatorArm.self, forKey: .allocator)
        conditions = try container.decodeIfPresent(FetchConditions.self, forKey: .conditions) ?? .standard
        parameters = try container.decodeIfPresent([CommandParameter.Value].self, forKey: .parameters) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(asset, forKey: .asset)
        try container.encode(mode, forKey: .mode)
        try container.encode(render, forKey: .render)
        try container.encode(allocator, forKey: .allocator)
        if conditions != .standard { try container.encode(conditions, forKey: .conditions) }
        if !parameters.isEmpty { try container.encode(parameters, forKey: .parameters) }
    }
}

/// A case of a plan that cannot be measured, with the reason; it is reported, never omitted silently.
package struct InapplicableCase: Codable, Hashable, Sendable {
    package var cell: Case
    package var reason: String

    package init(cell: Case, reason: String) { (self.cell, self.reason) = (cell, reason) }

    private enum CodingKeys: String, CodingKey {
        case cell = "case"
        case reason
    }
}
