// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The version of HTTP at the embedded origin.
    static let http = words(
        "http", kind: "version of HTTP",
        "Version of HTTP with the embedded origin: 1.1,2 (2: over --scheme https only).",
        valueName: "versions", suiteKey: "http", isOfOrigin: true,
        note: [
            "HTTP/2 is offered at an address of its own; a trial fails unless the origin sent all of its bodies over it.",
            "Streams share a connection in URLSession, AsyncHTTPClient and nio-stream; an easy handle of libcurl, and so",
            "each fetch of curl-stream, has a connection of its own.",
        ], \.http
    ) { cell in
        guard cell.cell.conditions.scheme == .https else {
            return "the embedded origin speaks HTTP/2 over TLS only: ask for --scheme https"
        }
        // The trial of a command fails if the origin sees another version.
        guard cell.planned.command == nil, !cell.mode.abilities.contains(.http2) else { return nil }
        return "mode \(cell.mode.name) does not speak HTTP/2"
    }
}
