// SPDX-License-Identifier: Apache-2.0

/// A body on its way, piece by piece: hashed, and written to a file, dropped, or handed to who consumes it.
public struct StreamedBody: Sendable {
    private let path: String?
    private let consumer: (any BodyConsumer)?
    private let resumption: Resumption?
    private var file: BodyFile?
    private var hash: StreamedHash
    private var byteCount = 0
    private var entity: BodyEntity?

    /// Creates the file, or none where the body is dropped.
    public init(to path: String?, verifiedBy verification: Verification) throws(FetchFailure) {
        self.path = path
        consumer = nil
        resumption = nil
        if let path { file = try BodyFile(creating: path) }
        hash = StreamedHash(verification)
    }

    /// Hands the body to the consumer of a request; or else creates its file, unless that depends on the answer: then
    /// ``begin(_:)`` does.
    public init(for request: FetchRequest, verifiedBy verification: Verification) throws(FetchFailure) {
        consumer = request.consumer
        path = consumer == nil ? request.destination : nil
        resumption = consumer == nil ? request.resumption : nil
        if resumption == nil, let path { file = try BodyFile(creating: path) }
        hash = StreamedHash(verification)
    }

    /// Learns what the answer is, before its first byte: of a body that is gone on with, where that byte belongs.
    ///
    /// What is called a second time, or for a request that goes on with nothing, changes nothing.
    public mutating func begin(_ head: @autoclosure () -> BodyHead) throws(FetchFailure) {
        guard let resumption, let path, entity == nil else { return }
        let entity = try head().entity(answering: resumption)
        if entity.offset == 0 {
            try start(entity, of: resumption.key, at: path)
        } else {
            file = try BodyFile(resuming: path, at: entity.offset)
            // What is there already was hashed by nobody.
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

    /// What the fetch leaves behind once every piece was taken.
    public func finished() -> FetchedBody {
        let kept: FetchedBody.Content = path.map { .file(path: $0) } ?? .nothing
        var body = FetchedBody(
            content: consumer.map { .consumed($0) } ?? kept, byteCount: byteCount, sha256: hash.finish(),
            verificationCPUNanoseconds: hash.cpuNanoseconds)
        body.entity = entity
        return body
    }

    /// Starts a body anew; in this order, so that at no moment a document stands beside bytes of another version.
    private mutating func start(_ entity: BodyEntity, of key: String, at path: String) throws(FetchFailure) {
        PartialState.remove(besides: path)
        file = try BodyFile(creating: path)
        guard let validator = entity.validator else { return }
        try PartialState(key: key, validator: validator, totalByteCount: entity.totalByteCount).write(besides: path)
    }
}
