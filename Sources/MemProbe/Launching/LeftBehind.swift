// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// The processes that outlived the child that started them, and were killed.
package struct LeftBehind: Codable, Hashable, Sendable {
    package var count: Int
    /// Their names, possibly fewer than ``count``.
    package var names: [String]
    /// Their resident sets added up; shared pages count once per process.
    package var resident: ByteCount
}

extension LeftBehind {
    /// Decodes a keeper's event; `nil` if nothing was left.
    init?(_ event: cmemprobe_keeper_event) {
        guard event.left_count > 0 else { return nil }
        let text = withUnsafeBytes(of: event.left_names) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(
            count: Int(event.left_count), names: text.split(separator: "\n").map(String.init),
            resident: ByteCount(Int(event.left_bytes)))
    }
}
