// SPDX-License-Identifier: Apache-2.0

/// One capture of a process by `Sources/C/CAllocationRecorder`: every recorded block, and every page of its memory.
package struct Recording: Sendable {
    struct Block: Hashable, Sendable {
        var address: UInt64
        /// Its size in bytes.
        var size: UInt64
        /// The bytes that it represents: its size, or more for a sample of small blocks.
        var weight: UInt64
        /// The index of its innermost frame in ``Recording/frames``.
        var stack: Int
        /// True for a sample of small blocks.
        var isSample: Bool
        /// True if the program mapped it itself, without the allocator.
        var isMapping: Bool

        var range: Range<UInt64> { address..<address + size }
    }

    struct Frame: Hashable, Sendable {
        var address: UInt64
        /// The index of the caller's frame; 0 is the root, which is not a frame.
        var parent: Int
    }

    package var process: Int
    /// Its parent process, or the one that adopted it.
    package var parent: Int
    /// Its name in the kernel: at most 15 bytes, chosen by the program.
    package var name: String
    /// The time of the capture on the monotonic clock.
    package var nanoseconds: Int
    /// The kernel's resident size just before, in bytes.
    package var resident: Int
    /// The kernel's peak at the time in bytes, or 0 if it was not read.
    package var highWater: Int
    /// The kernel's peak at the end in bytes, or `nil` if the process did not get that far.
    package var finalHighWater: Int?
    /// The addresses of the recorder's own tables.
    package var ownMemory: Range<UInt64>
    /// True if the program has its own `malloc`, which is not recorded.
    package var hasOwnMalloc: Bool
    /// True if pages that were read and never written may be listed as resident: before Linux 6.7 they look like pages
    /// that are shared with the other side of a fork.
    var mayCountZeros: Bool
    /// The block that `realloc` had just copied from, if that triggered the capture.
    var moved: Block?
    var frames: [Frame]
    var blocks: [Block]
    /// The freed blocks, the latest first.
    var freed: [Block]
    /// Every mapping of the process, ordered by address.
    package var mappings: [Mapping]
    var pages: ResidentPages
    package var account: RecorderAccount
}

extension Recording {
    /// The file name of the recorder's library.
    package static let library = "libAllocationRecorder.so"

    /// The highest known peak in bytes: the kernel's high-water mark can lag behind its exact count of pages.
    package var highest: Int { max(resident, highWater, finalHighWater ?? 0) }

    /// The recorder's own bytes in the process: its tables, all of which are resident, and its library.
    package var ownBytes: Int {
        ownMemory.count + mappings.filter(\.isOfRecorder).reduce(0) { $0 + $1.resident }
    }
}
