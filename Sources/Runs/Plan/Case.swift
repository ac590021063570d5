// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// One cell of a plan: an asset, fetched by a mode, rendered by a model, on an allocator, under conditions.
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
    package var identifier: String {
        ([asset, mode, render, allocator.rawValue] + (conditions.words.isEmpty ? [] : [conditionsText]))
            .joined(separator: "/")
    }

    /// What is unusual, in one word; empty where nothing is.
    package var conditionsText: String {
        conditions.words.joined(separator: "+")
    }

    /// The mode of a case that fetches nothing.
    package static let nullMode = "none"

    /// The render model of a case that keeps what it fetched as it is.
    package static let withoutRendering = "none"

    /// The case that shows the floor: nothing is fetched, nothing rendered.
    package static func null(on allocator: AllocatorArm) -> Case {
        Case(asset: nullAsset, mode: nullMode, render: withoutRendering, allocator: allocator)
    }
}

extension Case: Codable {
    private enum CodingKeys: String, CodingKey {
        case asset, mode, render, allocator, conditions
    }

    /// Decodes a case; one without conditions was measured under the usual ones.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        asset = try container.decode(String.self, forKey: .asset)
        mode = try container.decode(String.self, forKey: .mode)
        render = try container.decode(String.self, forKey: .render)
        allocator = try container.decode(AllocatorArm.self, forKey: .allocator)
        conditions = try container.decodeIfPresent(FetchConditions.self, forKey: .conditions) ?? .standard
    }

    /// Encodes a case; the usual conditions are left out.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(asset, forKey: .asset)
        try container.encode(mode, forKey: .mode)
        try container.encode(render, forKey: .render)
        try container.encode(allocator, forKey: .allocator)
        if conditions != .standard { try container.encode(conditions, forKey: .conditions) }
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
