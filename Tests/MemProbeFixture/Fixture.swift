// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Glibc
import MemProbe

enum Fixture {
    static func answer(_ name: String, _ value: some CustomStringConvertible) {
        print("\(name) \(value)")
    }

    static func waitForTest() {
        fflush(nil)
        while readLine() != nil {}
    }

    /// Maps memory outside of the allocator and touches every page of it.
    static func mapAndTouch(_ size: Int) throws(MemProbeError) -> UnsafeMutableRawPointer {
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { throw MemProbeError(.exhausted, source: "mmap", errno: errno) }
        for offset in stride(from: 0, to: size, by: 4096) {
            start.storeBytes(of: UInt8(truncatingIfNeeded: offset >> 12) | 1, toByteOffset: offset, as: UInt8.self)
        }
        return start
    }

    /// Blocks for some nanoseconds below a second.
    static func sleep(nanoseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        nanosleep(&time, nil)
    }

    /// A spike held for 1 ms, and the truth about it by a reading that the probe does not know of.
    static func spike(of size: Int) throws(MemProbeError) {
        var witness = try ProcessProbe(.current)
        var probe = try ProcessProbe(.current)
        _ = try witness.snapshot()
        answer("reset", try probe.resetPeak())
        let start = try mapAndTouch(size)
        let truth = try witness.resident().resident
        sleep(nanoseconds: 1_000_000)
        munmap(start, size)
        let peak = try probe.peakSinceReset()
        answer("truth", truth.rawValue)
        answer("peak", peak.resident.rawValue)
        answer("source", peak.source.rawValue)
        answer("bound", peak.errorBound.rawValue)
        answer("resident", try probe.resident().resident.rawValue)
        _ = try probe.resetPeak()
        answer("next-peak", try probe.peakSinceReset().resident.rawValue)
    }

    /// Memory that keeps still until the test is done.
    static func hold(_ size: Int) throws(MemProbeError) {
        let start = try mapAndTouch(size)
        var probe = try ProcessProbe(.current)
        // The first answer makes the output's buffer, which the reading has to include.
        answer("size", size)
        fflush(nil)
        let own = try probe.resident()
        answer("resident", own.resident.rawValue)
        answer("anonymous", own.anonymous.rawValue)
        waitForTest()
        munmap(start, size)
    }

    /// The process's program pages, read repeatedly: the first reading loads the code that reads, answers and
    /// waits, and from then on no page is added until the test kills it.
    static func programPages() throws(MemProbeError) {
        var probe = try ProcessProbe(.current)
        for round in 0...3 {
            answer("snapshot", try probe.snapshot().programPages?.rawValue ?? -1)
            answer("program-pages", try probe.programPages()?.rawValue ?? -1)
            answer("round", round)
            fflush(nil)
            sleep(nanoseconds: 1_000_000)
        }
        while true { sleep(nanoseconds: 900_000_000) }
    }

    /// Memory that never keeps still; it ends when the test kills it.
    static func restless() {
        answer("ready", 1)
        fflush(nil)
        while let start = try? mapAndTouch(1 << 20) {
            sleep(nanoseconds: 200_000)
            munmap(start, 1 << 20)
            sleep(nanoseconds: 200_000)
        }
    }

    /// Whether transparent huge pages are on for this process, before and after they are turned off.
    static func hugePages() throws(MemProbeError) {
        answer("before", hugePagesEnabled())
        answer("disabled", TransparentHugePages.disableForThisProcess())
        answer("after", hugePagesEnabled())
    }

    /// The line `THP_enabled` of this process's status.
    private static func hugePagesEnabled() -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("THP_enabled:"), let value = Int(text.filter(\.isNumber)) { return value }
        }
        return -1
    }
}

extension Fixture {
    /// The readings around a mapping of a known size.
    private struct Round {
        var before: Snapshot
        var exactBefore: ResidentReading
        var exact: ResidentReading
        var after: Snapshot
        var released: Snapshot
    }

    /// All readings of a mapping of known size.
    static func accuracy(ofMapping size: Int) throws(MemProbeError) {
        var probe = try ProcessProbe(.current)
        // Once for nothing: what is made lazily exists afterwards.
        _ = try probe.snapshot()
        answer(try measure(size, with: &probe))
    }

    private static func measure(_ size: Int, with probe: inout ProcessProbe) throws(MemProbeError) -> Round {
        let before = try probe.snapshot()
        let exactBefore = try probe.resident()
        let start = try mapAndTouch(size)
        let exact = try probe.resident()
        let after = try probe.snapshot()
        munmap(start, size)
        let released = try probe.snapshot()
        return Round(before: before, exactBefore: exactBefore, exact: exact, after: after, released: released)
    }

    private static func answer(_ round: Round) {
        answer("statm", (round.exact.resident - round.exactBefore.resident).rawValue)
        answer("statm-anonymous", (round.exact.anonymous - round.exactBefore.anonymous).rawValue)
        answer("resident", (round.after.resident - round.before.resident).rawValue)
        answer("anonymous", (round.after.anonymous - round.before.anonymous).rawValue)
        if let proportional = round.after.proportional, let base = round.before.proportional {
            answer("proportional", (proportional - base).rawValue)
        }
        if let unique = round.after.unique, let base = round.before.unique {
            answer("unique", (unique - base).rawValue)
        }
        if let peak = round.released.peakResident { answer("peak", (peak - round.before.resident).rawValue) }
        answer("released", (round.released.resident - round.before.resident).rawValue)
        answer("faults", round.after.minorFaults - round.before.minorFaults)
        answer("cpu", round.after.cpuNanoseconds - round.before.cpuNanoseconds)
        answer("time", round.after.timeNanoseconds - round.before.timeNanoseconds)
    }

    /// Which allocator runs here, and what it says about an allocation of a known size.
    static func allocate(_ size: Int, inBlocksOf block: Int) {
        let identity = AllocatorIdentity.current
        answer("name", identity.name)
        answer("version", identity.version ?? "none")
        for (name, value) in identity.configuration { answer(name, value) }

        let count = size / block
        let blocks = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: count)
        blocks.initialize(repeating: nil, count: count)
        defer { blocks.deallocate() }
        guard AllocatorStatistics.read() != nil, let before = AllocatorStatistics.read() else { return }
        for index in 0..<count {
            guard let start = malloc(block) else { return }
            memset(start, 1, block)
            blocks[index] = start
        }
        let after = AllocatorStatistics.read()
        for index in 0..<count { free(blocks[index]) }
        let freed = AllocatorStatistics.read()

        guard let after, let freed else { return }
        answer("allocated", (after.allocated - before.allocated).rawValue)
        answer("freed", (freed.allocated - before.allocated).rawValue)
        answer("mapped", ((after.mapped ?? .zero) - (before.mapped ?? .zero)).rawValue)
        answer("has-active", after.active != nil)
        answer("has-retained", after.retained != nil)
        purge()
    }

    private static func purge() {
        guard var probe = try? ProcessProbe(.current), let before = try? probe.resident() else { return }
        answer("purged", AllocatorControl.purge())
        guard let after = try? probe.resident() else { return }
        answer("resident-after-purge", (after.resident - before.resident).rawValue)
    }

    /// The allocations between marks, by jemalloc's counter of everything that this thread has requested.
    static func allocations(times: Int) throws(MemProbeError) {
        var probe = try ProcessProbe(.current)
        // Once for nothing: what is made lazily exists afterwards.
        _ = try probe.resetPeak()
        _ = try probe.peakSinceReset()
        _ = try QuietMoment.wait(&probe, unchangedFor: 0, atMost: 0, pollEvery: 1)
        _ = AllocatorStatistics.read()
        let start = threadAllocated()
        for _ in 0..<times { _ = try probe.resident() }
        let afterResident = threadAllocated()
        for _ in 0..<times {
            _ = try probe.resetPeak()
            _ = try probe.peakSinceReset()
        }
        let afterPeak = threadAllocated()
        for _ in 0..<times {
            _ = try QuietMoment.wait(&probe, unchangedFor: 2000, atMost: 10000, pollEvery: 1000)
        }
        let afterQuiet = threadAllocated()
        for _ in 0..<times { _ = AllocatorStatistics.read() }
        let end = threadAllocated()
        let made = UnsafeMutablePointer<Int>.allocate(capacity: 512)
        answer("control", threadAllocated() - end)
        made.deallocate()
        answer("resident", afterResident - start)
        answer("peak", afterPeak - afterResident)
        answer("quiet", afterQuiet - afterPeak)
        answer("statistics", end - afterQuiet)
    }

    private static func threadAllocated() -> Int {
        var value: UInt64 = 0
        var length = MemoryLayout<UInt64>.size
        guard cmemprobe_mallctl("thread.allocated", &value, &length, nil, 0) == 0 else { return 0 }
        return Int(value)
    }

    /// A reading of known numbers of pages, descriptors and threads; then the process idles until the test is done.
    static func inventory(_ size: Int, descriptors: Int, threads: Int) throws(MemProbeError) {
        // Once for nothing: what is made lazily exists afterwards.
        _ = try ProcessInventory.read()
        let before = try ProcessInventory.read()
        let anonymous = try mapAndTouch(size)
        let file = try mapFile(size)
        for _ in 0..<descriptors { _ = dup(STDIN_FILENO) }
        for _ in 0..<threads { startThread() }
        let after = try ProcessInventory.read()
        answer("file", file.descriptor)
        answer("resident", (after.resident - before.resident).rawValue)
        answer("anonymous", (after.anonymous - before.anonymous).rawValue)
        if let private1 = before.privateFile, let private2 = after.privateFile {
            answer("private-file", (private2 - private1).rawValue)
        }
        answer("threads", after.threads - before.threads)
        answer("all-threads", after.threads)
        answer("descriptors", (after.descriptors ?? -1) - (before.descriptors ?? -1))
        answer("all-descriptors", after.descriptors ?? -1)
        waitForTest()
        munmap(anonymous, size)
        munmap(file.start, size)
    }

    private static func mapFile(
        _ size: Int
    ) throws(MemProbeError) -> (start: UnsafeMutableRawPointer, descriptor: CInt) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/memprobe-fixture-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0,
            let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
        else { throw MemProbeError(.exhausted, source: "a file", errno: errno) }
        for offset in stride(from: 0, to: size, by: 4096) {
            start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return (start, descriptor)
    }

    private static func startThread() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                while true { pause() }
            }, nil)
    }

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

    /// The comparison of `statm` with the page tables.
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

    static func makeGroups() throws {
        let session = try ControlGroupSession(in: ControlGroupPlace.here.get())
        answer("folder", try session.group("one").folder)
        waitForTest()
        withExtendedLifetime(session) {}
    }
}
