// SPDX-License-Identifier: Apache-2.0

/// The document that a trial program reads from standard input for `--costs`.
public struct CostRequest: Codable, Hashable, Sendable {
    /// The supported version of this document and of its answer; others are refused.
    public static let understoodVersion = 1

    /// The version of this document.
    public var version: Int
    /// The name of the mode that fetches.
    public var mode: String
    /// The URL to fetch once.
    public var url: String
    /// The folder for the mode's files; the harness removes it.
    public var directory: String
    /// The mode's time-out without a byte, in seconds.
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
