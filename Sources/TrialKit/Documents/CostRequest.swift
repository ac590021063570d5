// SPDX-License-Identifier: Apache-2.0

/// The one document that a trial program gets on standard input when it is started with `--costs`.
public struct CostRequest: Codable, Hashable, Sendable {
    /// The version of this document and of its answer; another one is refused.
    public static let understoodVersion = 1

    /// The version of this document.
    public var version: Int
    /// The name of the mode that fetches.
    public var mode: String
    /// The URL to fetch, once.
    public var url: String
    /// The folder in which the mode may make files; the harness removes it.
    public var directory: String
    /// After how many seconds without a byte the mode gives up by itself.
    public var idleTimeoutSeconds: Int

    /// Creates the document.
    public init(mode: String, url: String, directory: String, idleTimeoutSeconds: Int) {
        version = Self.understoodVersion
        self.mode = mode
        self.url = url
        self.directory = directory
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }
}
