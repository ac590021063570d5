// SPDX-License-Identifier: Apache-2.0

/// The storable part of request details: the names of the fields without their values.
package struct RequestOutline: Codable, Hashable, Sendable {
    package var headerNames: [String]
    package var method: String
    package var bodyByteCount: ByteCount?
    package var bodySHA256: String?

    package init?(_ details: RequestDetails?) {
        guard let details else { return nil }
        headerNames = details.fields.map(\.name)
        method = details.method
        bodyByteCount = details.body.map { ByteCount($0.byteCount) }
        bodySHA256 = details.body?.sha256
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case headerNames = "header_names"
        case bodyByteCount = "body_bytes"
        case bodySHA256 = "body_sha256"
    }

    /// A description: `POST with 120 bytes and the fields Authorization, Accept`.
    package var text: String {
        var parts = bodyByteCount.map { ["\($0.rawValue) bytes (SHA-256 \(bodySHA256?.prefix(16) ?? "")…)"] } ?? []
        if !headerNames.isEmpty {
            let noun = headerNames.count == 1 ? "the field" : "the fields"
            parts.append("\(noun) \(headerNames.joined(separator: ", "))")
        }
        return method + (parts.isEmpty ? "" : " with \(parts.joined(separator: " and "))")
    }

    /// The flags that reproduce the request, quoted for a shell, with a mark in place of every secret.
    package var flags: [String] {
        let usual = bodySHA256 == nil ? "GET" : "POST"
        return secretFlags + (method == usual ? [] : ["--request-method \(method)"])
    }

    /// The flags among them that a stored plan needs again.
    package var secretFlags: [String] {
        headerNames.map { "--header '\($0.replacing("'", with: "'\\''")): \(Mark.text)'" }
            + (bodySHA256 == nil ? [] : ["--body '\(Mark.text)'"])
    }

    /// The mark in printed command lines for values that are not stored.
    package enum Mark {
        /// A character that is unlikely to be typed by accident.
        package static let text = "…"
    }
}
