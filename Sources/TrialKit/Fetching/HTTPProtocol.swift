// SPDX-License-Identifier: Apache-2.0

/// The version of HTTP with the embedded origin.
public enum HTTPProtocol: String, Codable, Hashable, Sendable, CaseIterable {
    /// HTTP/1.1: a connection has one request at a time.
    case http1 = "1.1"
    /// HTTP/2: the streams of a connection are requests at the same time.
    case http2 = "2"
}
