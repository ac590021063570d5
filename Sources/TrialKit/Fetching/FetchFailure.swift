// SPDX-License-Identifier: Apache-2.0

/// Why a fetch ended without a body.
///
/// A failed fetch is a result of its trial: it is stored, never thrown through the harness.
public struct FetchFailure: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The word stored in the run.
        public var rawValue: String

        /// Creates a code from the word stored in a run.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The origin answered with a status that carries no asset.
        public static let httpStatus = Code(rawValue: "http_status")
        /// Nothing listens there.
        public static let connectionRefused = Code(rawValue: "connection_refused")
        /// The connection ended before the body did.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The name has no address.
        public static let hostNotFound = Code(rawValue: "host_not_found")
        /// No route, or no network.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The TLS handshake or the certificate failed.
        public static let tls = Code(rawValue: "tls")
        /// More redirects than the mode follows.
        public static let tooManyRedirects = Code(rawValue: "too_many_redirects")
        /// The mode itself gave up waiting.
        public static let idleTimeout = Code(rawValue: "idle_timeout")
        /// A complete answer without a single byte.
        public static let emptyBody = Code(rawValue: "empty_body")
        /// The body has another length than its header promised.
        public static let truncatedBody = Code(rawValue: "truncated_body")
        /// A whole body that is another one than was asked for.
        public static let wrongBody = Code(rawValue: "wrong_body")
        /// The answer is not HTTP, or not the part of it that this mode speaks.
        public static let malformedResponse = Code(rawValue: "malformed_response")
        /// The mode cannot fetch this scheme.
        public static let unsupportedScheme = Code(rawValue: "unsupported_scheme")
        /// The file could not be made or written.
        public static let file = Code(rawValue: "file")
        /// The origin has no such part of the body, or sent another one than was asked for.
        public static let rangeRefused = Code(rawValue: "range_refused")
        /// The task that fetched was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Anything else; the detail says what.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of failure.
    public var code: Code

    /// What happened, in words, without paths of this machine.
    public var detail: String

    /// The end of a fetch whose task was cancelled.
    public static let cancelled = FetchFailure(.cancelled, "the task that fetched was cancelled")

    /// Creates a failure.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
