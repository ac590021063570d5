// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A request of a trial.
public struct FetchRequest: Hashable, Sendable {
    /// The methods that a trial needs.
    public enum Method: String, Hashable, Sendable {
        /// Fetches the body.
        case get = "GET"
        /// Fetches the head only: the warm-up of a foreign URL, whose body must not be fetched twice.
        case head = "HEAD"
    }

    /// The asset's URL.
    public var url: URL

    /// The method.
    public var method: Method

    /// The path for modes that fetch to a file; no file exists yet, unless the request resumes one.
    public var destination: String

    /// The consumer of the body as it arrives, in place of the file; usually `nil`.
    ///
    /// Set only for modes with the ability ``ModeAbility/pieces``.
    public var consumer: (any BodyConsumer)?

    /// True if the body has to come with its entity tag.
    ///
    /// For modes with the ability ``ModeAbility/revalidation``; others ignore it.
    public var wantsEntityTag = false

    /// The entity tag of the client's version: if it is current, the result is ``FetchedBody/isUnchanged``.
    public var entityTag: String?

    /// The state of a body that can be resumed; `nil` if it is fetched in one piece.
    ///
    /// Only for modes with ``ModeAbility/resuming``; the others fetch the whole body.
    public var resumption: Resumption?

    /// Creates a request.
    public init(url: URL, method: Method = .get, destination: String) {
        self.url = url
        self.method = method
        self.destination = destination
    }
}

extension FetchRequest {
    /// Compares the URL, the method, the destination and the identity of the consumer.
    public static func == (left: FetchRequest, right: FetchRequest) -> Bool {
        left.url == right.url && left.method == right.method && left.destination == right.destination
            && left.consumer === right.consumer
    }

    /// Hashes the URL, the method and the destination.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(method)
        hasher.combine(destination)
    }
}

/// Consumes a body piece by piece as it arrives.
///
/// It is called by one thread at a time, which differs from piece to piece.
public protocol BodyConsumer: AnyObject, Sendable {
    /// Takes the next piece, which is valid during the call only.
    ///
    /// An error in the body is kept until the result is requested: the fetch continues to its end.
    func take(_ bytes: UnsafeRawBufferPointer)
}

/// The result of a fetch, held until it is released.
public struct FetchedBody: Sendable {
    /// The location of the bytes.
    public enum Content: Sendable {
        /// No bytes: nothing was fetched or kept.
        case nothing
        /// In memory, kept alive by this value.
        case memory(any ContiguousBytes & Sendable)
        /// In the file at this path.
        case file(path: String)
        /// In the consumer that took them as they arrived.
        case consumed(any BodyConsumer)
    }

    /// The location of the bytes.
    public var content: Content

    /// The length of the body.
    public var byteCount: Int

    /// The SHA-256 in hexadecimal, if the mode hashed the body as it arrived.
    public var sha256: String?

    /// The CPU time of that hashing, in nanoseconds.
    public var verificationCPUNanoseconds: Int

    /// The entity tag of this version, if the request wanted it and the origin sent one.
    public var entityTag: String?

    /// True if the version that the request named is current, so that nothing was fetched.
    public var isUnchanged = false

    /// The entity, if the request has a resumption.
    public var entity: BodyEntity?

    /// The picture that the mode shows, if it does so itself.
    public var picture: (any ShownPicture)?

    /// Creates a body.
    public init(content: Content, byteCount: Int, sha256: String? = nil, verificationCPUNanoseconds: Int = 0) {
        self.content = content
        self.byteCount = byteCount
        self.sha256 = sha256
        self.verificationCPUNanoseconds = verificationCPUNanoseconds
    }

    /// No body at all.
    public static let nothing = FetchedBody(content: .nothing, byteCount: 0)

    /// No body, because the version that the request named is current.
    public static let unchanged = {
        var body = FetchedBody.nothing
        body.isUnchanged = true
        return body
    }()
}
