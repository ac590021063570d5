// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Memory for samples in its own mapping: touched before the measurement, and not counted by the allocator.
///
/// One thread writes at a time, and is joined before another reads.
final class SampleStorage<Slot: BitwiseCopyable>: @unchecked Sendable {
    let slots: UnsafeMutableBufferPointer<Slot>
    private let length: Int

    init(capacity: Int, filledWith empty: Slot) throws(MemProbeError) {
        let (length, overflow) = capacity.multipliedReportingOverflow(by: MemoryLayout<Slot>.stride)
        guard !overflow, let pages = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { throw MemProbeError(.exhausted, source: "mmap", errno: overflow ? ENOMEM : errno) }
        self.length = length
        let start = pages.bindMemory(to: Slot.self, capacity: capacity)
        slots = UnsafeMutableBufferPointer(start: start, count: capacity)
        slots.initialize(repeating: empty)
    }

    deinit {
        munmap(slots.baseAddress, length)
    }
}
