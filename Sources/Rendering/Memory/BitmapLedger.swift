// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the bytes of the bitmaps that are mapped now.
///
/// The ledger is exact where resident size is not: an allocator keeps freed memory resident, and a mapping that
/// nobody has touched is not resident at all. Framebuffers belong to the screen and are not counted.
package final class BitmapLedger: Sendable {
    /// The bitmaps of this process: what still counts after `release` has leaked.
    package static let process = BitmapLedger()

    private let live = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    package init() {}

    /// The bytes of the pages that live bitmaps map.
    package var liveByteCount: Int {
        live.load(ordering: .relaxed)
    }

    /// The most bytes that were live at one time.
    package var highestByteCount: Int {
        highest.load(ordering: .relaxed)
    }

    func add(_ byteCount: Int) {
        let now = live.add(byteCount, ordering: .relaxed).newValue
        highest.max(now, ordering: .relaxed)
    }

    func remove(_ byteCount: Int) {
        live.subtract(byteCount, ordering: .relaxed)
    }
}
