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

    /// The path of the file that a mode which fetches to a file has to make; nothing is there yet, unless the request
    /// goes on with what is.
    public var destination: String

    /// What takes the body while it arrives, instead of the file; `nil` where nothing does, as mostly.
    ///
    /// Only modes with the ability ``ModeAbility/pieces`` are given one.
    public var consumer: (any BodyConsumer)?

    /// Whether the body has to come with the origin's name for its version, its entity tag.
    ///
    /// For modes with the ability ``ModeAbility/revalidation``; others leave it out.
    public var wantsEntityTag = false

    /// The tag of the version that is there already: where it still holds, no body is fetched, and the one that comes
    /// ``FetchedBody/isUnchanged``.
    public var entityTag: String?

    /// How the body is to be gone on with, now and later; `nil` where it is fetched in one piece or not at all.
    ///
    /// Only for modes that have ``ModeAbility/resuming``; the others fetch the whole body.
    public var resumption: Resumption?

    /// Creates a request.
    public init(url: URL, method: Method = .get, destination: String) {
        self.url = url
        self.method = method
        self.destination = destination
    }
}

extension FetchRequest {
    /// Whether all is the same, down to what takes the body.
    public static func == (left: FetchRequest, right: FetchRequest) -> Bool {
        left.url == right.url && left.method == right.method && left.destination == right.destination
            && left.consumer === right.consumer
    }

    /// Hashes what is asked for.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(method)
        hasher.combine(destination)
    }
}

/// What takes a body while it arrives, piece by piece.
///
/// It is called from one thread at a time, which differs from piece to piece.
public protocol BodyConsumer: AnyObject, Sendable {
    /// Takes the next piece, which is lent for the duration of the call.
    ///
    /// What is wrong with the body is kept until somebody asks for what became of it: a fetch goes on to its end.
    func take(_ bytes: UnsafeRawBufferPointer)
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
        /// With what has taken them while they arrived.
        case consumed(any BodyConsumer)
    }

    /// Where the bytes are.
    public var content: Content

    /// How many bytes the body has.
    public var byteCount: Int

    /// The SHA-256 of the body in hexadecimal, where the mode hashed it on the way.
    public var sha256: String?

    /// The CPU time that hashing on the way took, in nanoseconds; 0 where the mode hashed nothing.
    public var verificationCPUNanoseconds: Int

    /// The origin's name for this version of the asset, where the request wanted it and the origin gave one.
    public var entityTag: String?

    /// Whether the version that the request named still holds, so that nothing was fetched.
    public var isUnchanged = false

    /// What the origin said of the body, where the request was one that can be gone on with.
    public var entity: BodyEntity?

    /// The picture that the mode shows of the body, where it makes one by itself.
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

    /// No body, because the version that the request named still holds.
    public static let unchanged = {
        var body = FetchedBody.nothing
        body.isUnchanged = true
        return body
    }()
}
