// SPDX-License-Identifier: Apache-2.0

/// The 8 bytes of `/proc/PID/pagemap` for one page.
package struct PagemapEntry: Hashable, Sendable, BitwiseCopyable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// True for a resident page of a file that the process has not copied by writing to it.
    ///
    /// Bit 63 marks resident pages, bit 61 pages of files and shared memory (kernel 3.5).
    package var isResidentFilePage: Bool { rawValue >> 63 == 1 && rawValue >> 61 & 1 == 1 }
}
