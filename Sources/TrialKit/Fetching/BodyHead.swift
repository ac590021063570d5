// SPDX-License-Identifier: Apache-2.0

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
