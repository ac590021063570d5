// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

extension Fixture {
    /// A plateau of 50 ms, seen by a sampler in this process.
    static func plateau(of size: Int) throws(MemProbeError) {
        let schedule = SamplingSchedule(intervalNanoseconds: 1_000_000)
        let sampler = try Sampler(schedule: schedule, capacity: schedule.capacity(forNanoseconds: 5_000_000_000))
        var probe = try ProcessProbe(.current)
        let base = try probe.resident().resident
        try sampler.start(.current)
        let start = try mapAndTouch(size)
        sleep(nanoseconds: 50_000_000)
        munmap(start, size)
        let series = sampler.stop()
        answer("samples", series.samples.count)
        answer("maximum", ((series.samples.map(\.resident).max() ?? .zero) - base).rawValue)
        answer("on-plateau", series.samples.count { ($0.resident - base).rawValue > size * 9 / 10 })
    }

    /// How many descriptors and threads are left when a sampler has been started and stopped many times.
    static func churn(times: Int) throws(MemProbeError) {
        let sampler = try Sampler(schedule: SamplingSchedule(intervalNanoseconds: 1_000_000), capacity: 64)
        var probe = try ProcessProbe(.current)
        try sampler.start(.current)
        _ = sampler.stop()
        let descriptors = countEntries(of: "/proc/self/fd")
        let resident = try probe.resident().resident
        var taken = 0
        for _ in 0..<times {
            try sampler.start(.current)
            taken += sampler.stop().samples.count
        }
        answer("descriptors", countEntries(of: "/proc/self/fd") - descriptors)
        answer("threads", try probe.snapshot().threads)
        answer("resident", (try probe.resident().resident - resident).rawValue)
        answer("samples", taken)
    }

    /// What the comparison of `statm` with the page tables says.
    static func exactness() {
        switch ExactnessProbe.run() {
        case .exact: answer("exactness", "exact")
        case .off(let difference): answer("exactness", difference.rawValue)
        case .unknown: answer("exactness", "unknown")
        }
    }

    private static func countEntries(of folder: String) -> Int {
        guard let stream = opendir(folder) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}
