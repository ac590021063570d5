// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// One cell of a plan: an asset, fetched by a mode, rendered by a model, on an allocator, under conditions; or a plain command
/// with values of its parameters, on an allocator.
package struct Case: Hashable, Sendable {
    /// The name of the asset; ``nullAsset`` in the null case.
    package var asset: String
    /// The name of the mode.
    package var mode: String
    /// The name of the render model.
    package var render: String
    /// The malloc of the trial's process.
    package var allocator: AllocatorArm
    /// How it is fetched.
    package var conditions: FetchConditions

    /// The values of a plain command's parameters; none of every other case.
    ///
    /// A secret has a number in its place.
    package var parameters: [CommandParameter.Value] = []

    /// The asset of a case that fetches nothing.
    package static let nullAsset = "none"

    /// Creates a case.
    package init(
        asset: String, mode: String, render: String, allocator: AllocatorArm, conditions: FetchConditions = .standard
    ) {
        self.asset = asset
        self.mode = mode
        self.render = render
        self.allocator = allocator
        self.conditions = conditions
    }

    /// The word of the column `case`: `hero/data/imageview/glibc`, and what is unusual behind a further slash:
    /// `64MiB/stream/none/glibc/concurrency=5+delay=200us`.
    ///
    /// That of a plain command is `sort/glibc/threads=2`.
    package var identifier: String {
        let subject = isPlain ? [mode, allocator.rawValue] : [asset, mode, render, allocator.rawValue]
        return (subject + (conditionsText.isEmpty ? [] : [conditionsText])).joined(separator: "/")
    }

    /// What is unusual, and the values of parameters, in one word; empty where there is nothing.
    package var conditionsText: String {
        (parameters.map { "\($0.name)=\($0.value)" } + conditions.words).joined(separator: "+")
    }

    /// Whether it is a plain command, which fetches nothing.
    package var isPlain: Bool { asset == Self.nullAsset && mode != Self.nullMode }

    /// Whether nothing is fetched and nothing run: the floor of the method itself.
    package var isNull: Bool { asset == Self.nullAsset && mode == Self.nullMode }

    /// What a plain command is called in tables: its name with the values of its parameters.
    package var title: String {
        let rest = parameters.filter { !mode.contains("{\($0.name)}") }.map { "\($0.name)=\($0.value)" }
        return CommandTemplate.filled(mode, with: parameters)
            + (rest.isEmpty ? "" : " (\(rest.joined(separator: ", ")))")
            + (allocator == .glibc ? "" : " on \(allocator.rawValue)")
    }

    /// The mode of a case that fetches nothing.
    package static let nullMode = "none"

    /// The render model of a case that keeps what it fetched as it is.
    package static let withoutRendering = "none"

    /// The case that shows the floor: nothing is fetched, nothing rendered.
    package static func null(on allocator: AllocatorArm) -> Case {
        Case(asset: nullAsset, mode: nullMode, render: withoutRendering, allocator: allocator)
    }

    /// The case of a plain command.
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

    /// Decodes a case; one without conditions was measured under the usual ones.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        asset = try container.decode(String.self, forKey: .asset)
        mode = try container.decode(String.self, forKey: .mode)
        render = try container.decode(String.self, forKey: .render)
        allocator = try container.decode(AllocatorArm.self, forKey: .allocator)
        conditions = try container.decodeIfPresent(FetchConditions.self, forKey: .conditions) ?? .standard
        parameters = try container.decodeIfPresent([CommandParameter.Value].self, forKey: .parameters) ?? []
    }

    /// Encodes a case; the usual conditions are left out.
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

/// A cell of a plan that cannot be measured, and why: it is reported, never left out in silence.
package struct InapplicableCase: Codable, Hashable, Sendable {
    /// The cell.
    package var cell: Case
    /// Why there is nothing to measure in it.
    package var reason: String

    /// Creates the note of a cell that is not measured.
    package init(cell: Case, reason: String) {
        self.cell = cell
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case cell = "case"
        case reason
    }
}
