// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import TrialKit

extension Metric {
    /// Returns the six metrics of one phase.
    package static func figures(of phase: Phase) -> [Metric] {
        let name = phase.rawValue
        return [
            bytes(
                "\(name)_peak_resident_growth_bytes", short: "\(name)_peak",
                "the highest resident size of \(name), over the mark"
            ) {
                $0.peakResidentGrowth(in: phase)
            },
            bytes(
                "\(name)_peak_anonymous_growth_bytes", short: "\(name)_anonymous",
                "the highest anonymous memory of \(name), over the mark"
            ) {
                $0.peakAnonymousGrowth(in: phase)
            },
            nanoseconds("\(name)_duration_ns", short: "\(name)_duration", "how long \(name) took") {
                $0.reading(of: phase).map { $0.endNanoseconds - $0.startNanoseconds }
            },
            nanoseconds("\(name)_cpu_ns", short: "\(name)_cpu", "the CPU time of the process in \(name)") {
                $0.reading(of: phase)?.cpuNanoseconds
            },
            bytes(
                "\(name)_allocator_allocated_bytes", short: "\(name)_allocated",
                "bytes allocated at the end of \(name), from the allocator's statistics"
            ) {
                $0.reading(of: phase)?.end.allocator?.allocated
            },
            bytes(
                "\(name)_allocator_resident_bytes", short: "\(name)_allocator_resident",
                "resident bytes at the end of \(name), from the allocator's statistics"
            ) {
                $0.reading(of: phase)?.end.allocator?.resident
            },
        ]
    }

    package static func duration(of phase: Phase) -> Metric { figures(of: phase)[2] }
    package static func cpu(of phase: Phase) -> Metric { figures(of: phase)[3] }
    package static func allocated(at phase: Phase) -> Metric { figures(of: phase)[4] }
    package static func allocatorResident(at phase: Phase) -> Metric { figures(of: phase)[5] }
}
