// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The name of an asset of the embedded origin.
package enum AssetName: Hashable, Sendable {
    /// One of ``images``.
    case image(String)
    /// The set of all pictures of the gallery.
    case gallery
    /// A computed body of this kind and size.
    case computed(ComputedKind, ByteCount)

    /// The largest size of an asset: 1 TiB.
    package static let largestSize = ByteCount(1 << 40)

    /// The photo of the published figures' size as a baseline and as a progressive JPEG.
    package static let photos = ["hero", "hero-progressive"]
    package static let pictures = (1...36).map { "gallery-" + ($0 < 10 ? "0" : "") + "\($0)" }
    package static let images = photos + pictures
    /// The assets whose name does not hold a size.
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
        }
    }

    /// True for an asset of no bytes, whose fetch measures nothing.
    package var isEmpty: Bool {
        if case .computed(_, .zero) = self { true } else { false }
    }
}

/// The kinds of content that are computed in any size.
package enum ComputedKind: String, CaseIterable, Hashable, Sendable {
    /// Pseudorandom bytes.
    case bytes
    /// Lines of words.
    case text
    /// An array of records.
    case json

    /// The prefix of the name, before the size.
    package var prefix: String { self == .bytes ? "" : rawValue + "-" }

    /// The first segment of the path on the origin, before the size.
    package var segment: String { rawValue }

    /// An example of a name.
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
