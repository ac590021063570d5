// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Glibc
import MemProbe

extension Fixture {
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

    /// What a purge gives back.
    private static func purge() {
        guard var probe = try? ProcessProbe(.current), let before = try? probe.resident() else { return }
        answer("purged", AllocatorControl.purge())
        guard let after = try? probe.resident() else { return }
        answer("resident-after-purge", (after.resident - before.resident).rawValue)
    }

    /// What the calls between marks allocate, by jemalloc's count of all that this thread ever asked for.
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
}
