// SPDX-License-Identifier: Apache-2.0

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
        body.entity = entity
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
