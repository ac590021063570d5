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
        (self.url, self.method, self.destination) = (url, method, destination)
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

    /// True if the mode, or a consumer, has decoded the body, so that the memory of the fetch includes the result.
    public var isDecoded = false

    /// Creates a body.
    public init(content: Content, byteCount: Int, sha256: String? = nil, verificationCPUNanoseconds: Int = 0) {
        (self.content, self.byteCount, self.sha256) = (content, byteCount, sha256)
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

extension FetchRequest {
    /// Returns the header fields of a request for modes that set all of them; the library adds its own, such as `Host`.
    /// - Parameters:
    ///   - acceptsGzip: True if the body may be compressed.
    ///   - target: The user's details, which replace the mode's own.
    public func fields(
        acceptingGzip acceptsGzip: Bool, carrying target: TargetRequest? = nil
    ) -> [(name: String, value: String)] {
        // A part of a compressed body cannot continue an uncompressed one.
        let coding = acceptsGzip && resumption == nil ? "gzip" : "identity"
        var fields = [("Accept", "*/*"), ("Accept-Encoding", coding), ("User-Agent", "fetchbench")] + rangeFields
        if let credentials { fields.append(("Authorization", credentials)) }
        guard let target else { return fields }
        let given = Set(target.fields.map { $0.name.lowercased() })
        return fields.filter { !given.contains($0.0.lowercased()) } + target.fields.map { ($0.name, $0.value) }
    }

    /// The fields that request the rest of a partial body; empty for a whole body.
    public var rangeFields: [(name: String, value: String)] {
        guard method == .get, let resumption, resumption.offset > 0 else { return [] }
        let validator = resumption.validator.map { [("If-Range", $0)] } ?? []
        return [("Range", "bytes=\(resumption.offset)-")] + validator
    }

    /// The URL's user and password as a value of `Authorization`; `nil` if it has none.
    public var credentials: String? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        let pair = "\(user):\(url.password(percentEncoded: false) ?? "")"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    /// The path and the query, as in the request line.
    public var target: String {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = components.map { $0.percentEncodedPath.isEmpty ? "/" : $0.percentEncodedPath } ?? "/"
        return path + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The host and the port, as in the field `Host`; `nil` if the URL has no host.
    public var authority: String? {
        guard let host = url.host, !host.isEmpty else { return nil }
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return bracketed + (url.port.map { ":\($0)" } ?? "")
    }
}

/// The user's header fields, method and body for requests to a foreign URL.
///
/// All of it may be secret. It is in the document for a trial only: records, errors and printed lines hold none of its
/// values.
public struct RequestDetails: Codable, Hashable, Sendable {
    /// A header field.
    public struct Field: Codable, Hashable, Sendable {
        /// Its name, as given.
        public var name: String
        /// Its value, without white space around it; never empty.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// A body to be sent.
    public struct Body: Codable, Hashable, Sendable {
        /// The path of its file.
        public var path: String
        /// Its length, in bytes.
        public var byteCount: Int
        /// Its SHA-256 in hexadecimal; the trial fails if the file has changed.
        public var sha256: String

        /// Creates the description of a body.
        public init(path: String, byteCount: Int, sha256: String) {
            (self.path, self.byteCount, self.sha256) = (path, byteCount, sha256)
        }
    }

    /// The first version of the document between harness and trial that supports details.
    package static let documentVersion = 6

    /// The header fields, each name once.
    public var fields: [Field]
    /// The method, in upper case.
    public var method: String
    /// The body, or `nil` for none.
    public var body: Body?

    /// Creates details.
    public init(fields: [Field] = [], method: String = "GET", body: Body? = nil) {
        (self.fields, self.method, self.body) = (fields, method, body)
    }

    /// True if the answer may be empty, as that to an upload: only of a GET without a body it is a failure.
    package var allowsEmptyAnswer: Bool { method != "GET" || body != nil }
}

extension RequestDetails.Field: CustomStringConvertible {
    /// The name without the value.
    public var description: String { "\(name): …" }
}
