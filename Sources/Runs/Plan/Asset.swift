// SPDX-License-Identifier: Apache-2.0

import Hashing

/// The bytes that a trial fetches, and their source.
package struct Asset: Codable, Hashable, Sendable {
    /// The asset name of every foreign URL: no part of the URL, which may be a secret.
    package static let foreignName = "url"

    package var name: String
    /// A path on the embedded origin, or a foreign URL with its credentials redacted.
    package var location: String
    package var isEmbedded: Bool
    package var byteCount: ByteCount?
    /// The SHA-256 in hexadecimal, or `nil` if a foreign server sends another body each time.
    package var sha256: String?
    /// The response to a foreign asset before the first trial; `nil` in runs of earlier versions.
    package var reference: ReferenceReport?
    package var mediaType: String?
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
        (self.name, self.location, self.isEmbedded) = (name, location, isEmbedded)
        (self.byteCount, self.sha256, self.mediaType) = (byteCount, sha256, mediaType)
    }

    package init(_ name: String, location: String = "", of members: [Asset], mediaType: String? = nil) {
        let hashes = members.compactMap(\.sha256).joined()
        self.init(
            name: name, location: location, isEmbedded: true,
            byteCount: members.reduce(.zero) { $0 + ($1.byteCount ?? .zero) },
            sha256: SHA256.hexadecimal(of: Array(hashes.utf8)), mediaType: mediaType)
        self.members = members
    }

    /// The first members of a set, one for each concurrent fetch; a single asset as it is.
    package func first(_ count: Int) -> Asset {
        members.map { Asset(name, location: location, of: Array($0.prefix(count)), mediaType: mediaType) } ?? self
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

    /// The encoding in which the server sends it, if libcurl cannot decode that.
    package var undecodableEncoding: String? {
        reference?.identity.flatMap { $0.decodingObstacle == nil ? nil : $0.encoding }
    }

    /// The scheme of a foreign asset's URL, in lower case; `nil` on the embedded origin.
    package var scheme: String? {
        guard !isEmbedded, let colon = location.firstIndex(of: ":") else { return nil }
        return location[..<colon].lowercased()
    }

    /// True if a client that supports HTTP/2 speaks it with the foreign server.
    package var offersHTTP2: Bool { scheme == "https" && reference?.httpVersion == "2" }

    private enum CodingKeys: String, CodingKey {
        case name, location, sha256, width, height, members, reference
        case isEmbedded = "embedded"
        case byteCount = "bytes"
        case mediaType = "media_type"
    }
}

package enum AssetName: Hashable, Sendable {
    case image(String)
    case gallery
    case computed(ComputedKind, ByteCount)
    /// Different assets, of which concurrent fetches get one each.
    case set([AssetName])

    package static let largestSize = ByteCount(1 << 40)

    /// The photo of the published figures' size as a baseline and as a progressive JPEG.
    package static let photos = ["hero", "hero-progressive"]
    package static let pictures = (1...36).map { "gallery-" + ($0 < 10 ? "0" : "") + "\($0)" }
    package static let images = photos + pictures
    package static let named = images + [AssetName.gallery.text]

    /// The names and forms of assets, for messages: only the first and the last picture of the gallery.
    package static let choices =
        photos + [AssetName.gallery.text, "\(pictures[0]) … \(pictures[pictures.count - 1])"]
        + ["a size up to \(largestSize.exactText) such as \(ComputedKind.bytes.example)"]
        + ComputedKind.allCases.filter { $0 != .bytes }.map(\.example)

    /// Examples of sizes: `64MiB, text-64MiB or json-1MiB`.
    package static let sizes = {
        let examples = ComputedKind.allCases.map(\.example)
        return examples.dropLast().joined(separator: ", ") + " or " + (examples.last ?? "")
    }()

    /// Parses a name, or returns `nil` if it is invalid; an asset may be empty: `0B`.
    package init?(parsing text: String) {
        if text == AssetName.gallery.text {
            self = .gallery
        } else if Self.images.contains(text) {
            self = .image(text)
        } else if text.contains("+") {
            let parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
            let names = parts.compactMap(AssetName.init(parsing:))
            guard names.count == parts.count, Set(names).count == names.count, !names.contains(.gallery) else {
                return nil
            }
            self = .set(names)
        } else {
            let kind = ComputedKind.allCases.last { text.hasPrefix($0.prefix) } ?? .bytes
            guard let size = ByteCount(parsing: String(text.dropFirst(kind.prefix.count))), size <= Self.largestSize
            else {
                return nil
            }
            self = .computed(kind, size)
        }
    }

    /// The canonical name: `65536` is `64KiB`, `text-1024KiB` is `text-1MiB`.
    package var text: String {
        switch self {
        case .image(let name): name
        case .gallery: "gallery"
        case .computed(let kind, let size): kind.prefix + size.exactText
        case .set(let names): names.map(\.text).joined(separator: "+")
        }
    }

    /// True for an asset of no bytes, whose fetch measures nothing.
    package var isEmpty: Bool {
        if case .set(let names) = self { return names.contains(where: \.isEmpty) }
        return if case .computed(_, .zero) = self { true } else { false }
    }
}

package enum ComputedKind: String, CaseIterable, Hashable, Sendable {
    case bytes
    case text
    case json

    package var prefix: String { self == .bytes ? "" : rawValue + "-" }

    /// The first segment of the path on the origin, before the size.
    package var segment: String { rawValue }

    package var example: String { prefix + exampleSize }

    package var exampleSize: String { self == .json ? "1MiB" : "64MiB" }

    package var summary: String {
        switch self {
        case .bytes: "deterministic bytes of any size, never held in memory whole"
        case .text: "deterministic text of any size, the same way"
        case .json: "a deterministic JSON array of records, of any size, the same way"
        }
    }
}
