// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// What a trial program answers when it is started with `--costs`: what it has at its start, and after a first fetch.
public struct CostReport: Codable, Hashable, Sendable {
    /// The version of this document, as in ``CostRequest/understoodVersion``.
    public var version: Int
    /// The reading at the start, before anything was made that fetches.
    public var start: CostReading
    /// The reading after the first body, while that and what fetched it are held; `nil` where none came.
    public var fetched: CostReading?
    /// The length of the body, or `nil` where none came.
    public var body: ByteCount?
    /// What ended it early, or `nil`.
    public var failure: Failure?

    /// What ended it early.
    public struct Failure: Codable, Hashable, Sendable {
        /// A word of ``FetchFailure/Code``.
        public var code: String
        /// What happened.
        public var detail: String

        /// Creates the end.
        public init(code: String, detail: String) {
            self.code = code
            self.detail = detail
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

/// What a process has at one instant, and when that was.
public struct CostReading: Codable, Hashable, Sendable {
    /// When reading began, in nanoseconds of `CLOCK_MONOTONIC`, which every process of the machine shares.
    public var timeNanoseconds: Int
    /// What the process has.
    public var inventory: ProcessInventory

    /// Creates a reading that was taken elsewhere.
    public init(timeNanoseconds: Int, inventory: ProcessInventory) {
        self.timeNanoseconds = timeNanoseconds
        self.inventory = inventory
    }

    private enum CodingKeys: String, CodingKey {
        case inventory
        case timeNanoseconds = "time_ns"
    }
}
