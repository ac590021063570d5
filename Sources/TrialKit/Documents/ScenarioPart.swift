// SPDX-License-Identifier: Apache-2.0

/// What a process plays that a scenario starts itself, beside the one that is measured: a part of it.
public struct ScenarioPart: Codable, Hashable, Sendable {
    /// The word by which the scenario knows the part.
    public var name: String
    /// The URL that is fetched in it, where that is another one than the trial's.
    public var url: String

    /// Creates a part.
    public init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}
