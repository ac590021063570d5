// SPDX-License-Identifier: Apache-2.0

/// What the head of an answer says of its body.
public struct BodyHead: Hashable, Sendable {
    /// The status.
    public let status: Int
    /// Which part of the body follows, as far as the answer says so.
    public let range: ContentRange?
    /// The promised length of what follows, or `nil`.
    public let length: Int?
    /// What names this version of the body, or `nil`.
    public let validator: String?

    /// Reads the fields that matter.
    /// - Parameters:
    ///   - status: The status.
    ///   - field: The value of a field by its name, or `nil`.
    public init(status: Int, _ field: (_ name: String) -> String?) {
        self.status = status
        range = field("Content-Range").flatMap(ContentRange.init(parsing:))
        let coding = field("Content-Encoding")?.lowercased() ?? "identity"
        let isIdentity = coding == "identity"
        length = isIdentity ? field("Content-Length").flatMap { Int($0) } : nil
        // The bytes of a compressed body are not those of the file.
        validator = isIdentity ? Self.validator(field) : nil
    }

    /// The body that an answer to a request has, from which byte on.
    ///
    /// - Throws: ``FetchFailure/Code/rangeRefused`` where the part is another one than was asked for, and what
    ///   ``StatusCheck`` says of a status that carries none.
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
        // A server that does not know `If-Range` sends a part of whatever the body is by now.
        if let known = resumption.validator, let validator, validator != known {
            throw FetchFailure(.rangeRefused, "the part that was sent is of another version of the body")
        }
        return BodyEntity(
            validator: validator ?? resumption.validator, totalByteCount: range.total, offset: resumption.offset)
    }

    /// What a request for the header alone leaves behind: what was said of the body, where it was asked for.
    public func body(of request: FetchRequest) throws(FetchFailure) -> FetchedBody {
        guard let resumption = request.resumption else { return .nothing }
        var body = FetchedBody.nothing
        body.entity = try entity(answering: resumption)
        return body
    }

    /// A strong tag, or else a date that is strong because the body was changed before the second of the answer:
    /// RFC 9110, sections 8.8.2.2 and 13.1.5.
    private static func validator(_ field: (String) -> String?) -> String? {
        if let tag = field("ETag") { return tag.hasPrefix("\"") ? tag : nil }
        guard let date = field("Last-Modified"), let now = field("Date"), date != now else { return nil }
        return date
    }
}
