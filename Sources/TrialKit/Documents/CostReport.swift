// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// The answer of a trial program to `--costs`: the process at its start, and after a first fetch.
public struct CostReport: Codable, Hashable, Sendable {
    /// The version of this document, as in ``CostRequest/understoodVersion``.
    public var version: Int
    /// The reading at the start, before anything that fetches was made.
    public var start: CostReading
    /// The reading after the first body, while it and the fetcher are held; `nil` if none arrived.
    public var fetched: CostReading?
    /// The length of the body; `nil` if none arrived.
    public var body: ByteCount?
    /// The failure that ended it early, or `nil`.
    public var failure: Failure?

    /// A failure that ended it early.
    public struct Failure: Codable, Hashable, Sendable {
        /// The raw value of a ``FetchFailure/Code``.
        public var code: String
        /// A description.
        public var detail: String

        /// Creates a failure.
        public init(code: String, detail: String) {
            (self.code, self.detail) = (code, detail)
        }
    }

    /// Creates the answer of a program that has only started.
    public init(start: CostReading) {
        version = CostRequest.understoodVersion
        self.start = start
    }

    private enum CodingKeys: String, CodingKey {
        case version, start, fetched, failure
        case body = "body_bytes"
    }
}

/// The inventory of a process at one instant.
public struct CostReading: Codable, Hashable, Sendable {
    /// The start of the reading, in nanoseconds of `CLOCK_MONOTONIC`, which all processes of the machine share.
    public var timeNanoseconds: Int
    /// The inventory of the process.
    public var inventory: ProcessInventory

    /// Creates a reading.
    public init(timeNanoseconds: Int, inventory: ProcessInventory) {
        (self.timeNanoseconds, self.inventory) = (timeNanoseconds, inventory)
    }

    private enum CodingKeys: String, CodingKey {
        case inventory
        case timeNanoseconds = "time_ns"
    }
}

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
        (self.mode, self.url, self.directory) = (mode, url, directory)
        self.idleTimeoutSeconds = idleTimeoutSeconds
    }
}
