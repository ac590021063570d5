// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import TrialKit

/// The bytes that a trial fetches, and their source.
package struct Asset: Codable, Hashable, Sendable {
    /// The asset name of every foreign URL: no part of the URL, which may be a secret.
    package static let foreignName = "url"

    /// The value of `--asset` and of the column `asset`.
    package var name: String
    /// A path on the embedded origin, or a foreign URL with its credentials redacted.
    package var location: String
    package var isEmbedded: Bool
    /// The size, or `nil` if a foreign server sends another one each time.
    package var byteCount: ByteCount?
    /// The SHA-256 in hexadecimal, or `nil` if a foreign server sends another body each time.
    package var sha256: String?
    /// What the server of a foreign asset sent before the first trial; `nil` in runs of earlier versions.
    package var reference: ReferenceReport?
    package var mediaType: String?
    /// The width in pixels of an image of the embedded origin.
    package var width: Int?
    package var height: Int?
    /// The number of records of a JSON document of the embedded origin.
    package var recordCount: Int?

    /// The assets of a set, or `nil` for an asset that one request fetches.
    ///
    /// The ``byteCount`` of a set is the sum of its members', its ``sha256`` the hash of their hashes.
    package var members: [Asset]?

    package init(
        name: String, location: String, isEmbedded: Bool, byteCount: ByteCount? = nil, sha256: String? = nil,
        mediaType: String? = nil
    ) {
        self.name = name
        self.location = location
        self.isEmbedded = isEmbedded
        self.byteCount = byteCount
        self.sha256 = sha256
        self.mediaType = mediaType
    }

    /// Returns a foreign asset with what its server sent.
    package func compared(with reference: ReferenceReport) -> Asset {
        guard !isEmbedded, let body = reference.identity else { return self }
        var asset = self
        asset.reference = reference
        let lengths = Set(([body] + reference.others).map(\.contentByteCount))
        if !reference.isChanging { asset.sha256 = body.contentSHA256 }
        if !reference.isChanging || lengths.count == 1 { asset.byteCount = ByteCount(body.contentByteCount) }
        return asset
    }

    /// Returns the way in which a fetched body differs from the asset; `nil` if it is the asset's.
    ///
    /// A server may send a foreign asset encoded although that was not asked for: some clients decode it, others do not,
    /// and both are right. Of a command it is unknown what it asks for.
    package func difference(of body: BodyReading, ofCommand isCommand: Bool) -> String? {
        let sent = [reference?.identity, isCommand ? reference?.gzip : nil].compactMap(\.self)
        let forms =
            [(count: byteCount, hash: sha256)]
            + (sha256 == nil ? [] : sent.map { (count: ByteCount($0.byteCount), hash: $0.sha256) })
        let isKnown = forms.contains { form in
            (form.count.map { $0 == body.byteCount } ?? true)
                && (form.hash == nil || body.sha256 == nil || form.hash == body.sha256)
        }
        guard !isKnown else { return nil }
        if let byteCount, !forms.contains(where: { $0.count == body.byteCount }) {
            return "\(body.byteCount.rawValue) bytes instead of \(byteCount.rawValue)"
        }
        return "SHA-256 \((body.sha256 ?? "").prefix(16))… instead of \((sha256 ?? "").prefix(16))…"
    }

    /// The scheme of a foreign asset's URL, in lower case; `nil` on the embedded origin.
    var scheme: String? {
        guard !isEmbedded, let colon = location.firstIndex(of: ":") else { return nil }
        return location[..<colon].lowercased()
    }

    private enum CodingKeys: String, CodingKey {
        case name, location, sha256, width, height, members, reference
        case isEmbedded = "embedded"
        case byteCount = "bytes"
        case mediaType = "media_type"
    }
}
