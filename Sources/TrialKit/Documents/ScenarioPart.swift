// SPDX-License-Identifier: Apache-2.0

/// The part of a scenario that is played by a process which the scenario starts itself.
public struct ScenarioPart: Codable, Hashable, Sendable {
    /// The name of the part.
    public var name: String
    /// The URL to fetch in place of the trial's.
    public var url: String

    /// Creates a part.
    public init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}
