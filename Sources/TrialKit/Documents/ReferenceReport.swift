// SPDX-License-Identifier: Apache-2.0

/// The request to the program that fetches a foreign URL before anything is measured.
package struct ReferenceRequest: Codable, Hashable, Sendable {
    package var url: String
    /// The user's own fields, method and body, if any.
    package var details: RequestDetails?
    package var timeoutSeconds: Double
    /// The path of the authority to trust; `nil` for the system's.
    package var certificateAuthorityPath: String?

    package init(url: String, details: RequestDetails?, timeoutSeconds: Double, authority: String? = nil) {
        certificateAuthorityPath = authority
        (self.url, self.details, self.timeoutSeconds) = (url, details, timeoutSeconds)
    }

    private enum CodingKeys: String, CodingKey {
        case url, details
        case timeoutSeconds = "timeout_s"
        case certificateAuthorityPath = "certificate_authority"
    }
}

/// A server's response to a foreign URL, which measured fetches are compared with.
package struct ReferenceReport: Codable, Hashable, Sendable {
    /// A body as it was sent, and as it is without its encoding.
    package struct Body: Codable, Hashable, Sendable {
        package var byteCount: Int
        /// In hexadecimal.
        package var sha256: String
        /// `Content-Encoding`, or `nil` if it was sent as it is.
        package var encoding: String?
        /// The length without the encoding; `nil` if it has none, or one that is not decoded here.
        package var decodedByteCount: Int?
        package var decodedSHA256: String?
        /// The reason why libcurl, which decodes for several clients, cannot decode it.
        package var decodingObstacle: String?

        package init(
            byteCount: Int, sha256: String, encoding: String? = nil, decodedByteCount: Int? = nil,
            decodedSHA256: String? = nil
        ) {
            (self.byteCount, self.sha256, self.encoding) = (byteCount, sha256, encoding)
            (self.decodedByteCount, self.decodedSHA256) = (decodedByteCount, decodedSHA256)
        }

        /// The length of the content, whatever it was encoded in.
        package var contentByteCount: Int { decodedByteCount ?? byteCount }
        /// The hash of the content, whatever it was encoded in.
        package var contentSHA256: String { decodedSHA256 ?? sha256 }

        private enum CodingKeys: String, CodingKey {
            case sha256, encoding
            case byteCount = "bytes"
            case decodedByteCount = "decoded_bytes"
            case decodedSHA256 = "decoded_sha256"
            case decodingObstacle = "libcurl_obstacle"
        }
    }

    package var status = 0
    /// The version of HTTP that libcurl and the server agreed on: `1.1`, `2`.
    package var httpVersion: String?
    /// `Transfer-Encoding`, if it is more than chunks: libcurl undoes it, and other clients do not.
    package var transferEncoding: String?
    package var mediaType: String?
    package var entityTag: String?
    package var lastModified: String?
    /// The last answer to a request for the body as it is; `nil` after a failure.
    package var identity: Body?
    /// The answer to a request that accepts gzip.
    package var gzip: Body?
    /// The bodies that were different from those above, in the order in which they came.
    package var others: [Body] = []
    /// True if no two answers were the same.
    package var isChanging = false
    /// The reason that trials send no HEAD to warm up, or `nil` if they do.
    package var headObstacle: String?
    package var failure: String?

    package init() {}

    /// True if a HEAD warms a connection and does no harm.
    package var warmsByHead: Bool { headObstacle == nil }

    private enum CodingKeys: String, CodingKey {
        case status, identity, gzip, others, failure
        case httpVersion = "http_version"
        case transferEncoding = "transfer_encoding"
        case mediaType = "media_type"
        case entityTag = "entity_tag"
        case lastModified = "last_modified"
        case isChanging = "changing"
        case headObstacle = "head_obstacle"
    }
}
