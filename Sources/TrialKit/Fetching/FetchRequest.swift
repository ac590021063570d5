// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One request of a trial.
public struct FetchRequest: Hashable, Sendable {
    /// The methods a trial needs.
    public enum Method: String, Hashable, Sendable {
        /// Fetch the body.
        case get = "GET"
        /// Fetch the header alone: the warm-up of a foreign URL, whose body must not be fetched twice.
        case head = "HEAD"
    }

    /// Where the asset is.
    public var url: URL

    /// What is asked of it.
    public var method: Method

    /// The path of the file that a mode which fetches to a file has to make; nothing is there yet.
    public var destination: String

    /// Creates a request.
    public init(url: URL, method: Method = .get, destination: String) {
        self.url = url
        self.method = method
        self.destination = destination
    }
}

/// What a fetch left behind, held until it is dropped.
public struct FetchedBody: Sendable {
    /// Where the bytes are.
    public enum Content: Sendable {
        /// Nowhere: nothing was fetched, or nothing was kept of it.
        case nothing
        /// In memory, kept alive by this value.
        case memory(any ContiguousBytes & Sendable)
        /// In the file at this path.
        case file(path: String)
    }

    /// Where the bytes are.
    public var content: Content

    /// How many bytes the body has.
    public var byteCount: Int

    /// The SHA-256 of the body in hexadecimal, where the mode hashed it on the way.
    public var sha256: String?

    /// The CPU time that hashing on the way took, in nanoseconds; 0 where the mode hashed nothing.
    public var verificationCPUNanoseconds: Int

    /// Creates a body.
    public init(content: Content, byteCount: Int, sha256: String? = nil, verificationCPUNanoseconds: Int = 0) {
        self.content = content
        self.byteCount = byteCount
        self.sha256 = sha256
        self.verificationCPUNanoseconds = verificationCPUNanoseconds
    }

    /// No body at all.
    public static let nothing = FetchedBody(content: .nothing, byteCount: 0)
}
