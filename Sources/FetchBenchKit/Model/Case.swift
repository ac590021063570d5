// SPDX-License-Identifier: Apache-2.0

/// One cell of a plan: an asset, fetched by a mode, rendered by a model, on an allocator.
public struct Case: Codable, Hashable, Sendable {
    /// The name of the asset; ``nullAsset`` in the null case.
    public var asset: String
    /// The name of the mode.
    public var mode: String
    /// The name of the render model.
    public var render: String
    /// The malloc of the trial's process.
    public var allocator: AllocatorArm

    /// The asset of a case that fetches nothing.
    public static let nullAsset = "none"

    /// Creates a case.
    public init(asset: String, mode: String, render: String, allocator: AllocatorArm) {
        self.asset = asset
        self.mode = mode
        self.render = render
        self.allocator = allocator
    }

    /// The word of the column `case`: `hero/data/imageview/glibc`.
    public var identifier: String {
        "\(asset)/\(mode)/\(render)/\(allocator.rawValue)"
    }

    /// The mode of a case that fetches nothing.
    public static let nullMode = "none"

    /// The case that shows the floor: nothing is fetched, nothing rendered.
    public static func null(on allocator: AllocatorArm) -> Case {
        Case(asset: nullAsset, mode: nullMode, render: "none", allocator: allocator)
    }
}

/// A cell of a plan that cannot be measured, and why: it is reported, never left out in silence.
public struct InapplicableCase: Codable, Hashable, Sendable {
    /// The cell.
    public var cell: Case
    /// Why there is nothing to measure in it.
    public var reason: String

    /// Creates the note of a cell that is not measured.
    public init(cell: Case, reason: String) {
        self.cell = cell
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case cell = "case"
        case reason
    }
}
