// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds out whether the cheap reading of the resident set is exact here.
///
/// Kernels since 6.16 add up all CPUs' counters for `statm`; older ones lag behind, some with patches do not.
/// So it is tried, not concluded from the version: pages are touched, and `statm` is compared with the page tables.
public enum ExactnessProbe {
    /// What was found.
    public enum Result: Hashable, Sendable {
        /// Every comparison agreed.
        case exact
        /// The largest difference that was seen.
        case off(by: ByteCount)
        /// Nothing could be compared: no `smaps_rollup`, or memory that never kept still.
        case unknown
    }

    /// Touches pages of this process and compares.
    ///
    /// - Parameter rounds: how many comparisons to make; each takes as long as `smaps_rollup` does.
    public static func run(rounds: Int = 16) -> Result {
        guard var probe = try? ProcessProbe(.current) else { return .unknown }
        let pageSize = PeakErrorBound.pageSize
        // An odd number of pages a round: batches of 32 and 64 never come out even.
        let step = 7 * pageSize
        let length = max(1, rounds) * step
        guard let pages = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { return .unknown }
        defer { munmap(pages, length) }
        var largest: ByteCount?
        for start in stride(from: 0, to: length, by: step) {
            for offset in stride(from: start, to: start + step, by: pageSize) {
                pages.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
            }
            guard let difference = compare(&probe) else { continue }
            largest = max(largest ?? .zero, difference)
        }
        guard let largest else { return .unknown }
        return largest == .zero ? .exact : .off(by: largest)
    }

    /// Compares once, or returns `nil` where another thread's memory moved meanwhile.
    private static func compare(_ probe: inout ProcessProbe) -> ByteCount? {
        guard let before = try? probe.resident(), let truth = try? probe.readRollup(),
            let after = try? probe.resident(), before == after
        else { return nil }
        let difference = before.resident - truth.resident
        return max(difference, .zero - difference)
    }
}
