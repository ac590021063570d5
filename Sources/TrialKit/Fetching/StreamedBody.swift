// SPDX-License-Identifier: Apache-2.0

import Hashing
import MemProbe

/// A body in pieces as it arrives: hashed, and written to a file, dropped, or passed to a consumer.
public struct StreamedBody: Sendable {
    private let path: String?
    private let consumer: (any BodyConsumer)?
    private let resumption: Resumption?
    private var file: BodyFile?
    private var hash: StreamedHash
    private var byteCount = 0
    private var entity: BodyEntity?

    /// Creates the file; with `nil` the body is dropped.
    public init(to path: String?, verifiedBy verification: Verification) throws(FetchFailure) {
        self.path = path
        consumer = nil
        resumption = nil
        if let path { file = try BodyFile(creating: path) }
        hash = StreamedHash(verification)
    }

    /// Passes the body to the request's consumer, or creates its file, or leaves the file to ``begin(_:)``.
    public init(for request: FetchRequest, verifiedBy verification: Verification) throws(FetchFailure) {
        consumer = request.consumer
        path = consumer == nil ? request.destination : nil
        resumption = consumer == nil ? request.resumption : nil
        if resumption == nil, let path { file = try BodyFile(creating: path) }
        hash = StreamedHash(verification)
    }

    /// Reads the response's head before the first byte, to continue a partial body at its offset.
    ///
    /// Does nothing when called again, or for a request without a resumption.
    public mutating func begin(_ head: @autoclosure () -> BodyHead) throws(FetchFailure) {
        guard let resumption, let path, entity == nil else { return }
        let entity = try head().entity(answering: resumption)
        if entity.offset == 0 {
            try start(entity, of: resumption.key, at: path)
        } else {
            file = try BodyFile(resuming: path, at: entity.offset)
            // The existing part was not hashed.
            hash = StreamedHash(.length)
        }
        byteCount = entity.offset
        self.entity = entity
    }

    /// Takes the next piece.
    public mutating func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        byteCount += bytes.count
        hash.update(bytes)
        try file?.write(bytes)
        consumer?.take(bytes)
    }

    /// Returns the body after the last piece.
    public func finished() -> FetchedBody {
        let kept: FetchedBody.Content = path.map { .file(path: $0) } ?? .nothing
        var body = FetchedBody(
            content: consumer.map { .consumed($0) } ?? kept, byteCount: byteCount, sha256: hash.finish(),
            verificationCPUNanoseconds: hash.cpuNanoseconds)
        (body.entity, body.isDecoded) = (entity, consumer != nil)
        return body
    }

    /// Starts a body from its beginning; in this order, so that the document never describes bytes of another version.
    private mutating func start(_ entity: BodyEntity, of key: String, at path: String) throws(FetchFailure) {
        PartialState.remove(besides: path)
        file = try BodyFile(creating: path)
        guard let validator = entity.validator else { return }
        try PartialState(key: key, validator: validator, totalByteCount: entity.totalByteCount).write(besides: path)
    }
}

/// Hashes a body as it arrives, and counts the CPU time of hashing separately.
public struct StreamedHash: Sendable {
    private var hasher: SHA256?
    /// The CPU time of hashing so far, in nanoseconds.
    public private(set) var cpuNanoseconds = 0

    /// Starts a hash, unless only the length is verified.
    public init(_ verification: Verification) {
        hasher = verification == .sha256 ? SHA256() : nil
    }

    /// Takes the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard hasher != nil else { return }
        let start = MonotonicClock.threadCPU()
        hasher?.update(bytes)
        cpuNanoseconds += MonotonicClock.threadCPU() - start
    }

    /// Returns the hash in hexadecimal; `nil` if only the length is verified.
    public func finish() -> String? { hasher?.hexadecimal() }
}

/// The fields of a response's head that describe its body.
public struct BodyHead: Hashable, Sendable {
    /// The status.
    public let status: Int
    /// The part of the body that follows, from `Content-Range`.
    public let range: ContentRange?
    /// The promised length of what follows; `nil` if it is unknown or the body is compressed.
    public let length: Int?
    /// The strong validator of this version of the body, or `nil`.
    public let validator: String?

    /// Reads the fields.
    /// - Parameters:
    ///   - status: The status.
    ///   - field: Returns the value of a field by its name, or `nil`.
    public init(status: Int, _ field: (_ name: String) -> String?) {
        self.status = status
        range = field("Content-Range").flatMap(ContentRange.init(parsing:))
        let coding = field("Content-Encoding")?.lowercased() ?? "identity"
        let isIdentity = coding == "identity"
        length = isIdentity ? field("Content-Length").flatMap { Int($0) } : nil
        // The bytes of a compressed body are not those of the file.
        validator = isIdentity ? Self.validator(field) : nil
    }

    /// Returns the body's version and the offset that the response begins at.
    ///
    /// - Throws: ``FetchFailure/Code/rangeRefused`` if the part is not the requested one, and the failures of
    ///   ``StatusCheck``.
    public func entity(answering resumption: Resumption) throws(FetchFailure) -> BodyEntity {
        try StatusCheck.check(status, resuming: resumption)
        guard status == 206 else {
            return BodyEntity(validator: validator, totalByteCount: length, offset: 0)
        }
        guard let range, range.first == resumption.offset else {
            throw FetchFailure(.rangeRefused, "the part that was sent does not begin where the last one ended")
        }
        if let total = range.total, range.last != total - 1 {
            throw FetchFailure(.rangeRefused, "the part that was sent does not go to the end of the body")
        }
        // A server without support for `If-Range` sends a part of any version.
        if let known = resumption.validator, let validator, validator != known {
            throw FetchFailure(.rangeRefused, "the part that was sent is of another version of the body")
        }
        return BodyEntity(
            validator: validator ?? resumption.validator, totalByteCount: range.total, offset: resumption.offset)
    }

    /// Returns the result of a HEAD request: no body, but the entity if the request has a resumption.
    public func body(of request: FetchRequest) throws(FetchFailure) -> FetchedBody {
        guard let resumption = request.resumption else { return .nothing }
        var body = FetchedBody.nothing
        body.entity = try entity(answering: resumption)
        return body
    }

    /// Returns a strong tag, or a date that is strong because the body was changed before the second of the response
    /// (RFC 9110, sections 8.8.2.2 and 13.1.5).
    private static func validator(_ field: (String) -> String?) -> String? {
        if let tag = field("ETag") { return tag.hasPrefix("\"") ? tag : nil }
        guard let date = field("Last-Modified"), let now = field("Date"), date != now else { return nil }
        return date
    }
}
