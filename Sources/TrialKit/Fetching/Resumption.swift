// SPDX-License-Identifier: Apache-2.0

/// The state of a partial body that a request resumes.
///
/// While its body arrives, the request keeps a small document beside its destination with the version of the body. Both
/// files stay however the fetch or its process ends.
public struct Resumption: Hashable, Sendable {
    /// The number of bytes that exist; 0 requests the whole body.
    public var offset: Int

    /// The strong validator of their version for `If-Range`; `nil` if it is unknown.
    public var validator: String?

    /// The key of the body in the document; a document with another key belongs to another body.
    public var key: String

    /// Creates the state.
    public init(offset: Int, validator: String?, key: String) {
        self.offset = offset
        self.validator = validator
        self.key = key
    }
}

/// An origin's description of a body.
public struct BodyEntity: Hashable, Sendable {
    /// The validator of the version: a strong `ETag` or else a strong `Last-Modified`; `nil` without either, so that
    /// the body cannot be resumed.
    public var validator: String?
    /// The length of the whole body in bytes; `nil` if it is unknown.
    public var totalByteCount: Int?
    /// The offset that the response begins at; 0 for the whole body.
    public var offset: Int

    /// Creates a description.
    public init(validator: String?, totalByteCount: Int?, offset: Int) {
        self.validator = validator
        self.totalByteCount = totalByteCount
        self.offset = offset
    }
}
