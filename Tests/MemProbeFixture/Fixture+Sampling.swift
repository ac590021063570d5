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

    /// How the kernel schedules a sampler's thread, and how it would schedule this one.
    static func urgency() throws(MemProbeError) {
        let sampler = try Sampler(schedule: SamplingSchedule(intervalNanoseconds: 1_000_000), capacity: 4096)
        try sampler.start(.current)
        var policies: [Int32] = []
        // The thread asks for its place as the first thing it does, whenever that is.
        for _ in 0..<200 where policies.allSatisfy({ $0 == SCHED_OTHER }) {
            sleep(nanoseconds: 5_000_000)
            policies = threads().filter { $0 != getpid() }.map { sched_getscheduler($0) }
        }
        _ = sampler.stop()
        answer("policy", policies.max() ?? -1)
        answer("own-policy", sched_getscheduler(0))
        var lowest = sched_param(sched_priority: 1)
        answer("real-time-allowed", sched_setscheduler(0, SCHED_RR, &lowest) == 0 ? 1 : 0)
    }

    private static func threads() -> [pid_t] {
        guard var stream = FolderStream("/proc/self/task") else { return [] }
        var threads: [pid_t] = []
        while let name = stream.next() {
            if let thread = pid_t(name) { threads.append(thread) }
        }
        return threads
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
        guard var stream = FolderStream(folder) else { return -1 }
        var count = 0
        while stream.next() != nil { count += 1 }
        return count
    }
}
