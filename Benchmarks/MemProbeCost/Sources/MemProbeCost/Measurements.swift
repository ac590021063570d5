// SPDX-License-Identifier: Apache-2.0

import CReadLoop
import Glibc
import MemProbe

/// The measured costs, in an order in which one does not disturb the next.
enum Measurements {
    /// Takes all of them, in about ten seconds.
    static func all() throws(MemProbeError) -> [Line] {
        // Memory first, before anything else touches the sampler's pages.
        var lines = [try samplerMemory()]
        lines += try reading()
        lines.append(try reset())
        lines += try snapshots()
        lines.append(try samplerCPU(named: "sampler at 1 kHz", interval: 1_000_000, bar: 2.5))
        lines.append(try samplerCPU(named: "sampler at 100 Hz", interval: 10_000_000, bar: 0.4))
        lines.append(statistics())
        return lines
    }

    private static func samplerMemory() throws(MemProbeError) -> Line {
        let schedule = SamplingSchedule.standard
        var probe = try ProcessProbe(.current)
        let before = try probe.resident()
        let sampler = try Sampler(schedule: schedule, capacity: schedule.capacity(forNanoseconds: 10_000_000_000))
        try sampler.start(.current)
        sleep(1)
        let after = try probe.resident()
        _ = sampler.stop()
        let anonymous = (after.anonymous - before.anonymous).rawValue / 1024
        return Line(
            name: "sampler, resident", cost: Double((after.resident - before.resident).rawValue) / 1024, bar: 300,
            unit: "KiB", note: "10 s at 1 kHz; \(anonymous) KiB are buffer and thread, the rest is code of libraries")
    }

    /// Returns the median of rounds, so that one interruption does not count.
    private static func median(of rounds: Int, _ body: () throws(MemProbeError) -> Double) throws(MemProbeError)
        -> Double
    {
        var values: [Double] = []
        for _ in 0..<rounds { values.append(try body()) }
        return values.sorted()[rounds / 2]
    }

    private static func reading() throws(MemProbeError) -> [Line] {
        let times = 20000
        var probe = try ProcessProbe(.current)
        let swift = try median(of: 15) { () throws(MemProbeError) in
            let start = MonotonicClock.now()
            for _ in 0..<times { _ = try probe.resident() }
            return Double(MonotonicClock.now() - start) / Double(times)
        }
        let inC = try median(of: 15) { () throws(MemProbeError) in
            let nanoseconds = creadloop_nanoseconds(times)
            guard nanoseconds > 0 else { throw MemProbeError(.unreadable, source: "/proc/self/statm") }
            return Double(nanoseconds) / Double(times)
        }
        return [
            Line(name: "resident()", cost: swift, bar: 1.5 * inC, unit: "ns", note: "bar: 1.5 times the line below"),
            Line(name: "pread in C", cost: inC, bar: 2000, unit: "ns", note: "the same call, nothing parsed"),
        ]
    }

    private static func reset() throws(MemProbeError) -> Line {
        let times = 2000
        var probe = try ProcessProbe(.current)
        guard try probe.resetPeak() else {
            return Line(name: "resetPeak()", cost: nil, bar: 5, unit: "µs", note: "the kernel refuses the reset")
        }
        let cost = try median(of: 15) { () throws(MemProbeError) in
            let start = MonotonicClock.now()
            for _ in 0..<times { _ = try probe.resetPeak() }
            return Double(MonotonicClock.now() - start) / Double(times) / 1000
        }
        return Line(name: "resetPeak()", cost: cost, bar: 5, unit: "µs", note: "with its exact reading")
    }

    /// Measures snapshots at known process sizes, because they walk the page tables.
    private static func snapshots() throws(MemProbeError) -> [Line] {
        var lines: [Line] = []
        for (mebibytes, bar) in [(50, 1.0), (1024, 20.0)] {
            let size = mebibytes << 20
            guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                start != MAP_FAILED
            else { throw MemProbeError(.exhausted, source: "mmap", errno: errno) }
            defer { munmap(start, size) }
            memset(start, 1, size)
            var probe = try ProcessProbe(.current)
            let cost = try median(of: 15) { () throws(MemProbeError) in
                let begin = MonotonicClock.now()
                _ = try probe.snapshot()
                return Double(MonotonicClock.now() - begin) / 1_000_000
            }
            lines.append(
                Line(
                    name: "snapshot(), \(mebibytes) MiB", cost: cost, bar: bar, unit: "ms",
                    note: "most of it is smaps_rollup"))
        }
        return lines
    }

    private static func samplerCPU(named name: String, interval: Int, bar: Double) throws(MemProbeError) -> Line {
        let schedule = SamplingSchedule(intervalNanoseconds: interval)
        let sampler = try Sampler(schedule: schedule, capacity: schedule.capacity(forNanoseconds: 5_000_000_000))
        let cpu = MonotonicClock.processCPU()
        let start = MonotonicClock.now()
        try sampler.start(.current)
        sleep(3)
        let busy = MonotonicClock.processCPU() - cpu
        let duration = MonotonicClock.now() - start
        let count = sampler.stop().samples.count
        return Line(
            name: name, cost: 100 * Double(busy) / Double(duration), bar: bar, unit: "% of a core",
            note: "\(count) samples in 3 s")
    }

    private static func statistics() -> Line {
        let identity = AllocatorIdentity.current
        guard identity.name == "jemalloc", let arenas = identity.configuration["arenas.narenas"].flatMap(Double.init)
        else {
            return Line(
                name: "jemalloc statistics, an arena", cost: nil, bar: 6, unit: "µs",
                note: "the allocator is \(identity.name); start with LD_PRELOAD=libjemalloc.so.2")
        }
        let times = 2000
        _ = AllocatorStatistics.read()
        let start = MonotonicClock.now()
        for _ in 0..<times { _ = AllocatorStatistics.read() }
        let cost = Double(MonotonicClock.now() - start) / Double(times) / 1000 / arenas
        return Line(
            name: "jemalloc statistics, an arena", cost: cost, bar: 6, unit: "µs",
            note: "epoch and six readings, \(Int(arenas)) arenas")
    }
}
