// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a fetch ended without a body.
///
/// A failed fetch is a result of its trial: it is stored and never thrown through the harness.
public struct FetchFailure: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The value stored in the run.
        public var rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The origin responded with a status that carries no asset.
        public static let httpStatus = Code(rawValue: "http_status")
        /// The port is not open.
        public static let connectionRefused = Code(rawValue: "connection_refused")
        /// The connection ended before the body did.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The host name has no address.
        public static let hostNotFound = Code(rawValue: "host_not_found")
        /// No route, or no network.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The TLS handshake or the certificate failed.
        public static let tls = Code(rawValue: "tls")
        /// There were more redirects than the mode follows.
        public static let tooManyRedirects = Code(rawValue: "too_many_redirects")
        /// The mode's own time-out expired.
        public static let idleTimeout = Code(rawValue: "idle_timeout")
        /// A complete response without a body.
        public static let emptyBody = Code(rawValue: "empty_body")
        /// The length of the body differs from the promised one.
        public static let truncatedBody = Code(rawValue: "truncated_body")
        /// The body is complete but not the requested one.
        public static let wrongBody = Code(rawValue: "wrong_body")
        /// The response is not HTTP, or uses a part of HTTP that this mode does not support.
        public static let malformedResponse = Code(rawValue: "malformed_response")
        /// The mode does not support the URL's scheme.
        public static let unsupportedScheme = Code(rawValue: "unsupported_scheme")
        /// The file could not be created or written.
        public static let file = Code(rawValue: "file")
        /// The origin does not have the requested part of the body, or sent another one.
        public static let rangeRefused = Code(rawValue: "range_refused")
        /// The task that fetched was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Any other failure; the detail describes it.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of failure.
    public var code: Code

    /// A description without paths of this machine.
    public var detail: String

    /// The failure of a fetch whose task was cancelled.
    public static let cancelled = FetchFailure(.cancelled, "the task that fetched was cancelled")

    /// Creates a failure.
    public init(_ code: Code, _ detail: String) {
        (self.code, self.detail) = (code, detail)
    }
}

extension FetchFailure {
    /// Creates the failure of a system call from its `errno`.
    public init(errno number: CInt, _ what: String) {
        self.init(Self.code(ofErrno: number), "\(what): \(String(cString: strerror(number)))")
    }

    private static func code(ofErrno number: CInt) -> Code {
        switch number {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE: .connectionLost
        case EAGAIN, ETIMEDOUT, EINPROGRESS: .idleTimeout
        case ENETUNREACH, EHOSTUNREACH: .unreachable
        case ENOENT, EACCES, EISDIR, ENOTDIR, EROFS, ENOSPC, EDQUOT, EFBIG: .file
        default: .other
        }
    }
}
