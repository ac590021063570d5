// SPDX-License-Identifier: Apache-2.0

/// How a request goes on with a body of which a part is in its destination already.
///
/// While its body arrives, such a request keeps a small document beside its destination, which names the version of the
/// body; whatever ends the fetch, the end of its process included, both files stay.
public struct Resumption: Hashable, Sendable {
    /// How many bytes are there: the mode asks for those behind them; 0 asks for the whole body.
    public var offset: Int

    /// The strong validator of the body that they are of, for `If-Range`; `nil` where none is known.
    public var validator: String?

    /// What the document says that it is of: where it says something else, it is not of this body.
    public var key: String

    /// Creates a way to go on.
    public init(offset: Int, validator: String?, key: String) {
        self.offset = offset
        self.validator = validator
        self.key = key
    }
}

/// What an origin said of a body.
public struct BodyEntity: Hashable, Sendable {
    /// What names this version of the body: a strong `ETag`, or else a `Last-Modified` that is a strong one; `nil` where
    /// the origin gave neither, so that nobody can go on with the body.
    public var validator: String?
    /// The length of the whole body in bytes, or `nil` where the origin does not tell.
    public var totalByteCount: Int?
    /// From which byte on the origin sent it: 0 for the whole body.
    public var offset: Int

    /// Creates what was said.
    public init(validator: String?, totalByteCount: Int?, offset: Int) {
        self.validator = validator
        self.totalByteCount = totalByteCount
        self.offset = offset
    }
}
