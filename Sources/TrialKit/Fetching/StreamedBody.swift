// SPDX-License-Identifier: Apache-2.0

/// A body on its way, piece by piece: hashed, and written to a file or dropped.
package struct StreamedBody: Sendable {
    private let path: String?
    private let file: BodyFile?
    private var hash: StreamedHash
    private var byteCount = 0

    /// Creates the file, or none where the body is dropped.
    package init(to path: String?, verifiedBy verification: Verification) throws(FetchFailure) {
        self.path = path
        if let path { file = try BodyFile(creating: path) } else { file = nil }
        hash = StreamedHash(verification)
    }

    /// Takes the next piece.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        byteCount += bytes.count
        hash.update(bytes)
        try file?.write(bytes)
    }

    /// What the fetch leaves behind once every piece was taken.
    package func finished() -> FetchedBody {
        FetchedBody(
            content: path.map { .file(path: $0) } ?? .nothing, byteCount: byteCount, sha256: hash.finish(),
            verificationCPUNanoseconds: hash.cpuNanoseconds)
    }
}
