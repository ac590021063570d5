// SPDX-License-Identifier: Apache-2.0

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
        self.name = name
        self.title = title
        self.closestMode = closestMode
        self.figures = figures
    }

    private enum CodingKeys: String, CodingKey {
        case name, title, figures
        case closestMode = "closest_mode"
    }
}
