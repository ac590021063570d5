// SPDX-License-Identifier: Apache-2.0

/// A body on its way, piece by piece: hashed, and written to a file, dropped, or handed to who consumes it.
package struct StreamedBody: Sendable {
    private let path: String?
    private let file: BodyFile?
    private let consumer: (any BodyConsumer)?
    private var hash: StreamedHash
    private var byteCount = 0

    /// Creates the file, or none where the body is dropped.
    package init(to path: String?, verifiedBy verification: Verification) throws(FetchFailure) {
        try self.init(to: path, consumer: nil, verifiedBy: verification)
    }

    /// Hands the body to the consumer of a request, or else creates its file.
    package init(of request: FetchRequest, verifiedBy verification: Verification) throws(FetchFailure) {
        let consumer = request.consumer
        try self.init(
            to: consumer == nil ? request.destination : nil, consumer: consumer, verifiedBy: verification)
    }

    private init(
        to path: String?, consumer: (any BodyConsumer)?, verifiedBy verification: Verification
    ) throws(FetchFailure) {
        self.path = path
        self.consumer = consumer
        if let path { file = try BodyFile(creating: path) } else { file = nil }
        hash = StreamedHash(verification)
    }

    /// Takes the next piece.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        byteCount += bytes.count
        hash.update(bytes)
        try file?.write(bytes)
        consumer?.take(bytes)
    }

    /// What the fetch leaves behind once every piece was taken.
    package func finished() -> FetchedBody {
        let kept: FetchedBody.Content = path.map { .file(path: $0) } ?? .nothing
        return FetchedBody(
            content: consumer.map { .consumed($0) } ?? kept, byteCount: byteCount, sha256: hash.finish(),
            verificationCPUNanoseconds: hash.cpuNanoseconds)
    }
}
