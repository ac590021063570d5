// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A test of whether the cheap reading of the resident set is exact on this machine.
///
/// Kernels since 6.16 add up the counters of all CPUs for `statm`; older ones lag behind unless patched. Therefore the
/// version is not trusted: pages are touched, and `statm` is compared with the page tables.
public enum ExactnessProbe {
    /// The outcome of the comparisons.
    public enum Result: Hashable, Sendable {
        /// Every comparison agreed.
        case exact
        /// The largest difference.
        case off(by: ByteCount)
        /// No comparison was possible: no `smaps_rollup`, or memory that kept changing.
        case unknown
    }

    /// Touches pages of this process and compares.
    ///
    /// - Parameter rounds: the number of comparisons; each takes as long as reading `smaps_rollup`.
    public static func run(rounds: Int = 16) -> Result {
        guard var probe = try? ProcessProbe(.current) else { return .unknown }
        let pageSize = PeakErrorBound.pageSize
        // An odd number of pages per round, so that batches of 32 and 64 never come out even.
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

    /// Compares once; returns `nil` if another thread's memory changed meanwhile.
    private static func compare(_ probe: inout ProcessProbe) -> ByteCount? {
        guard let before = try? probe.resident(), let truth = try? probe.readRollup(),
            let after = try? probe.resident(), before == after
        else { return nil }
        let difference = before.resident - truth.resident
        return max(difference, .zero - difference)
    }
}
