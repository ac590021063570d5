// SPDX-License-Identifier: Apache-2.0

/// What `/proc/PID/pagemap` says of one page, in 8 bytes.
package struct PagemapEntry: Hashable, Sendable, BitwiseCopyable {
    /// The 64 bits as the kernel writes them.
    package var rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether it is a resident page of a file, and no copy that the process has made by writing to it.
    ///
    /// Bit 63 is set of pages that are resident, bit 61 of pages of files and of shared memory (kernel 3.5).
    package var isResidentFilePage: Bool {
        rawValue >> 63 == 1 && rawValue >> 61 & 1 == 1
    }
}
