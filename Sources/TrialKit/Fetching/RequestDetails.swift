// SPDX-License-Identifier: Apache-2.0

/// The user's header fields, method and body for requests to a foreign URL.
///
/// All of it may be secret. It is in the document for a trial only: records, errors and printed lines hold none of its
/// values.
public struct RequestDetails: Codable, Hashable, Sendable {
    /// A header field.
    public struct Field: Codable, Hashable, Sendable {
        /// Its name, as given.
        public var name: String
        /// Its value, without white space around it; never empty.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A body to be sent.
    public struct Body: Codable, Hashable, Sendable {
        /// The path of its file.
        public var path: String
        /// Its length, in bytes.
        public var byteCount: Int
        /// Its SHA-256 in hexadecimal; the trial fails if the file has changed.
        public var sha256: String

        /// Creates the description of a body.
        public init(path: String, byteCount: Int, sha256: String) {
            self.path = path
            self.byteCount = byteCount
            self.sha256 = sha256
        }
    }

    /// The first version of the document between harness and trial that supports details.
    package static let documentVersion = 6

    /// The header fields, each name once.
    public var fields: [Field]
    /// The method, in upper case.
    public var method: String
    /// The body, or `nil` for none.
    public var body: Body?

    /// Creates details.
    public init(fields: [Field] = [], method: String = "GET", body: Body? = nil) {
        self.fields = fields
        self.method = method
        self.body = body
    }
}

extension RequestDetails.Field: CustomStringConvertible {
    /// The name without the value.
    public var description: String { "\(name): …" }
}
