// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension AssetLibrary {
    /// What the name of a text begins with; a size follows.
    static let textPrefix = "text-"

    /// The one name of an asset that can be named in several ways, or `nil` for what is no asset.
    ///
    /// `65536` is `64KiB`, `text-1024KiB` is `text-1MiB`, and an image has one name only. An asset may be empty: `0B`.
    package static func canonicalName(of name: String) -> String? {
        if names.contains(name) { return name }
        guard let size = size(of: name), size <= largestSize else { return nil }
        return (isText(name) ? textPrefix : "") + size.exactText
    }

    /// Whether a name is that of a text.
    static func isText(_ name: String) -> Bool { name.hasPrefix(textPrefix) }

    /// The size in the name of a body that is computed, or `nil` where there is none.
    static func size(of name: String) -> ByteCount? {
        ByteCount(parsing: isText(name) ? String(name.dropFirst(textPrefix.count)) : name)
    }
}
