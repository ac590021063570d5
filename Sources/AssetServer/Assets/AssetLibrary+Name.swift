// SPDX-License-Identifier: Apache-2.0

import MemProbe

extension AssetLibrary {
    /// What is computed in any size.
    enum Computed: String, CaseIterable {
        case bytes = ""
        case text = "text-"
        case json = "json-"

        /// What the name begins with; a size follows.
        var prefix: String { rawValue }
    }

    /// The one name of an asset that can be named in several ways, or `nil` for what is no asset.
    ///
    /// `65536` is `64KiB`, `text-1024KiB` is `text-1MiB`, and an image has one name only. An asset may be empty: `0B`.
    package static func canonicalName(of name: String) -> String? {
        if names.contains(name) { return name }
        guard let (kind, size) = computed(name), size <= largestSize else { return nil }
        return kind.prefix + size.exactText
    }

    /// What the name of a body that is computed says, or `nil` where it is none.
    static func computed(_ name: String) -> (kind: Computed, size: ByteCount)? {
        let kind = Computed.allCases.last { name.hasPrefix($0.prefix) } ?? .bytes
        return ByteCount(parsing: String(name.dropFirst(kind.prefix.count))).map { (kind, $0) }
    }
}
