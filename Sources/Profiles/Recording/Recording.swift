// SPDX-License-Identifier: Apache-2.0

/// One look of the recorder at a process: every recorded block, and every page of its memory.
///
/// Addresses are those of the process. Written by `Sources/C/CAllocationRecorder`.
package struct Recording: Sendable {
    struct Block: Hashable, Sendable {
        var address: UInt64
        /// How large it is, in bytes.
        var size: UInt64
        /// How many bytes it stands for: its size, unless it was drawn from many small ones.
        var weight: UInt64
        /// The place of its innermost frame in ``Recording/frames``.
        var stack: Int
        /// Whether it was drawn from small ones.
        var isSample: Bool
        /// Whether it was mapped by the program itself, without the allocator.
        var isMapping: Bool

        var range: Range<UInt64> { address..<address + size }
    }

    /// A return address below its caller's.
    struct Frame: Hashable, Sendable {
        var address: UInt64
        /// The place of the caller's frame; 0 is the root, which is none.
        var parent: Int
    }

    package var process: Int
    /// The process that began it, or took it over.
    package var parent: Int
    /// Its name as the kernel has it: at most 15 bytes, chosen by the program.
    package var name: String
    /// When it was made, on the monotonic clock.
    package var nanoseconds: Int
    /// What the kernel gave as the resident size just before, in bytes.
    package var resident: Int
    /// The kernel's peak at the time, where it was asked, and else 0, in bytes.
    package var highWater: Int
    /// The kernel's peak at the end, or `nil` where the process did not come that far, in bytes.
    package var finalHighWater: Int?
    /// Where the recorder's own tables are.
    package var ownMemory: Range<UInt64>
    /// Whether the program brings a `malloc` of its own, which nobody sees.
    package var hasOwnMalloc: Bool
    /// Whether pages may be listed as resident that were read and never written: no kernel before Linux 6.7 tells them
    /// from those that are shared with the other side of a fork.
    var mayCountZeros: Bool
    /// What `realloc` had just copied from, where that is why it was looked.
    var moved: Block?
    var frames: [Frame]
    var blocks: [Block]
    /// What was given back, the latest first.
    var freed: [Block]
    /// Every mapping of the process, by address.
    package var mappings: [Mapping]
    var pages: ResidentPages
    /// What the recorder did until the end.
    package var account: RecorderAccount
}

extension Recording {
    /// The file name of the recorder's library.
    package static let library = "libAllocationRecorder.so"

    /// The kernel's peak as far as it is known, in bytes: what it keeps can lag behind what it counts page by page.
    package var highest: Int { max(resident, highWater, finalHighWater ?? 0) }

    /// What the recorder itself holds in the process, in bytes: its tables, all of which are resident, and its library.
    package var ownBytes: Int {
        ownMemory.count + mappings.filter(\.isOfRecorder).reduce(0) { $0 + $1.resident }
    }
}
