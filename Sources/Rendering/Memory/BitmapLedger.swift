// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The bytes of the bitmaps that are mapped now.
///
/// This is exact where resident size is not: an allocator keeps freed memory resident, and an untouched mapping is not
/// resident. Framebuffers belong to the screen and are not counted.
package final class BitmapLedger: Sendable {
    /// The bitmaps of this process; bytes that remain after `release` have leaked.
    package static let process = BitmapLedger()

    private let live = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    package init() {}

    /// The bytes of mapped bitmaps.
    package var liveByteCount: Int {
        live.load(ordering: .relaxed)
    }

    /// The maximum of ``liveByteCount``.
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
