// SPDX-License-Identifier: Apache-2.0

/// What the request for a foreign URL is beside its address: header fields, a method and a body that a user has given.
///
/// Everything in it may be a secret. It is in the document that a trial gets and nowhere else: no record, no error and no
/// line that is printed holds a value of it.
public struct RequestDetails: Codable, Hashable, Sendable {
    /// A header field.
    public struct Field: Codable, Hashable, Sendable {
        /// Its name, as it was given.
        public var name: String
        /// Its value, without white space around it; never empty.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A body that is sent.
    public struct Body: Codable, Hashable, Sendable {
        /// The path of the file that it is in.
        public var path: String
        /// Its length, in bytes.
        public var byteCount: Int
        /// Its SHA-256 in hexadecimal: a trial that finds another body in the file fails.
        public var sha256: String

        /// Creates the description of a body.
        public init(path: String, byteCount: Int, sha256: String) {
            self.path = path
            self.byteCount = byteCount
            self.sha256 = sha256
        }
    }

    /// The first version of the document between harness and trial that knows them.
    package static let documentVersion = 6

    /// The header fields, each name once.
    public var fields: [Field]
    /// The method, in upper case.
    public var method: String
    /// The body, or `nil` where none is sent.
    public var body: Body?

    /// Creates details.
    public init(fields: [Field] = [], method: String = "GET", body: Body? = nil) {
        self.fields = fields
        self.method = method
        self.body = body
    }
}

extension RequestDetails.Field: CustomStringConvertible {
    /// The name alone.
    public var description: String { "\(name): …" }
}
