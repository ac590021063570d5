// SPDX-License-Identifier: Apache-2.0

/// What a harness has to know of a loader's policy that scenarios can be played under.
public struct LoaderDeclaration: Codable, Hashable, Sendable {
    /// The word of `--loader`.
    public var name: String
    /// What it is called in text: that it is a model, and of what.
    public var title: String
    /// The mode that transfers as the library does.
    public var closestMode: String
    /// Each of its figures with its source, a sentence a line.
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
