// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// The processes that still ran when the child that began them had ended by itself, and were killed.
package struct LeftBehind: Codable, Hashable, Sendable {
    package var count: Int
    /// Their names, at most as many.
    package var names: [String]
    /// What they held together; a page that several of them share counts for each.
    package var resident: ByteCount
}

extension LeftBehind {
    /// What a keeper tells, or `nil` where nothing was left.
    init?(_ event: cmemprobe_keeper_event) {
        guard event.left_count > 0 else { return nil }
        let text = withUnsafeBytes(of: event.left_names) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            count: Int(event.left_count), names: text.split(separator: "\n").map(String.init),
            resident: ByteCount(Int(event.left_bytes)))
    }
}
