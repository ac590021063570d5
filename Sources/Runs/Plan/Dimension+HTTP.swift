// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The version of HTTP at the embedded origin.
    static let http = words(
        "http", kind: "version of HTTP",
        "HTTP versions of the embedded origin: 1.1, 2 (2 needs --scheme https) (default: 1.1).",
        valueName: "versions", suiteKey: "http", isOfOrigin: true,
        note: [
            "HTTP/2 has its own port; a trial fails unless the origin sent all of its bodies over HTTP/2.",
            "Streams share a connection in URLSession, AsyncHTTPClient and nio-stream; each easy handle of libcurl, and so",
            "each fetch of curl-stream, opens its own connection.",
        ], \.http
    ) { cell in
        guard cell.cell.conditions.scheme == .https else {
            return "the embedded origin supports HTTP/2 only over TLS: add --scheme https"
        }
        // The trial of a command fails if the origin sees another version.
        guard cell.planned.command == nil, !cell.mode.abilities.contains(.http2) else { return nil }
        return "mode \(cell.mode.name) does not support HTTP/2"
    }
}
