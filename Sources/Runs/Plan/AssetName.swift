// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The name of an asset of the embedded origin: what plans ask for, and the origin makes a body of.
package enum AssetName: Hashable, Sendable {
    /// One of ``images``.
    case image(String)
    /// All pictures of the gallery, a set.
    case gallery
    /// So many bytes of a kind that is computed.
    case computed(ComputedKind, ByteCount)

    /// The largest size that is an asset: 1 TiB.
    package static let largestSize = ByteCount(1 << 40)

    /// The photo of the reference case, and the same pixels in scans of rising detail.
    package static let photos = ["hero", "hero-progressive"]
    /// The pictures of the gallery.
    package static let pictures = (1...36).map { "gallery-" + ($0 < 10 ? "0" : "") + "\($0)" }
    /// All images.
    package static let images = photos + pictures
    /// What has a name and not a size.
    package static let named = images + [AssetName.gallery.text]

    /// The names and forms of assets, for complaints: of the pictures of the gallery only the first and the last.
    package static let choices =
        photos + [AssetName.gallery.text, "\(pictures[0]) … \(pictures[pictures.count - 1])"]
        + ["a size up to \(largestSize.exactText) such as \(ComputedKind.bytes.example)"]
        + ComputedKind.allCases.filter { $0 != .bytes }.map(\.example)

    /// What is said to be a size: `64MiB, text-64MiB or json-1MiB`.
    package static let sizes = {
        let examples = ComputedKind.allCases.map(\.example)
        return examples.dropLast().joined(separator: ", ") + " or " + (examples.last ?? "")
    }()

    /// Reads a name, or gives `nil` for what is none: an asset may be empty, `0B`.
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

    /// The one name of an asset that can be named in several ways: `65536` is `64KiB`, `text-1024KiB` is `text-1MiB`.
    package var text: String {
        switch self {
        case .image(let name): name
        case .gallery: "gallery"
        case .computed(let kind, let size): kind.prefix + size.exactText
        }
    }

    /// Whether there is nothing in it, which answers nothing.
    package var isEmpty: Bool {
        if case .computed(_, .zero) = self { true } else { false }
    }
}

/// What is computed in any size.
package enum ComputedKind: String, CaseIterable, Hashable, Sendable {
    /// Numbers without a meaning.
    case bytes
    /// Lines of words.
    case text
    /// An array of records.
    case json

    /// What the name begins with; a size follows.
    package var prefix: String { self == .bytes ? "" : rawValue + "-" }

    /// The first segment of the path on the origin; a size follows.
    package var segment: String { rawValue }

    /// A name of that kind.
    package var example: String { prefix + exampleSize }

    /// A size of an example.
    package var exampleSize: String { self == .json ? "1MiB" : "64MiB" }

    /// What it is.
    package var summary: String {
        switch self {
        case .bytes: "deterministic bytes of any size, never held in memory whole"
        case .text: "deterministic text of any size, the same way"
        case .json: "a deterministic JSON array of records, of any size, the same way"
        }
    }
}
