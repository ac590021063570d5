// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// What the fixture can do.
enum Fixture {
    /// Prints one answer.
    static func answer(_ name: String, _ value: some CustomStringConvertible) {
        print("\(name) \(value)")
    }

    /// Sends the answers and waits until the test closes this process's input.
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

    /// What it has of program pages, read again and again: the first time brings in the code that reads, answers and
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
