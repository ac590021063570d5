// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

struct TraceParsingTests {
    /// A thread of the process that started it, or a process of its own: `CLONE_THREAD` says which.
    @Test func theFlagsOfACloneTellAThreadFromAChild() {
        // The flags that pthread_create, fork and posix_spawn of glibc pass.
        #expect(ThreadIdentity(11, startedIn: 7, cloneFlags: 0x3D0F00) == ThreadIdentity(process: 7, parent: 7))
        for flags: UInt64 in [0x0120_0011, 0x4111, 0] {
            #expect(ThreadIdentity(11, startedIn: 7, cloneFlags: flags) == ThreadIdentity(process: 11, parent: 7))
        }
    }

    @Test func aThreadSaysWhoseItIs() throws {
        let text = "Name:\tTgid: 7\nUmask:\t0022\nTgid:\t4711\nNgid:\t0\nPid:\t4712\nPPid:\t1\nTracerPid:\t9\n"
        #expect(try ThreadIdentity(parsing: text) == ThreadIdentity(process: 4711, parent: 1))
    }

    @Test(arguments: [
        ("", "Tgid"), ("Tgid:\t1\n", "PPid"), ("Tgid:\tx\nPPid:\t1\n", "Tgid"),
        ("Tgid:\t1\nPPid:\t99999999999\n", "PPid"),
    ])
    func malformedStatusThrows(text: String, source: String) {
        #expect(throws: MemProbeError(.malformed, source: source)) { try ThreadIdentity(parsing: text) }
    }
}

struct TraceValueTests {
    private static func process(_ mebibytes: Int, anonymous: Int? = nil, order: Int = 1) -> ProcessTrace {
        ProcessTrace(
            order: order, name: "a",
            peak: PeakReading(resident: .mebibytes(mebibytes), source: .highWaterMark, errorBound: .kibibytes(7)),
            anonymousAtEnd: anonymous.map { .mebibytes($0) }, startNanoseconds: 1, endNanoseconds: 9)
    }

    private static func maximum(_ resident: Int, _ anonymous: Int) -> TreeMaximum {
        TreeMaximum(
            resident: .mebibytes(resident), anonymous: .mebibytes(anonymous), timeNanoseconds: 5, processes: 2)
    }

    @Test(arguments: [(3, 10), (12, 12), (40, 15)])
    func theMaximumLiesBetweenTheLargestPeakAndTheirSum(sampled: Int, expected: Int) {
        let bounded = Self.maximum(sampled, 1).bounded(by: [Self.process(10), Self.process(5, order: 2)])
        #expect(bounded.resident == .mebibytes(expected))
    }

    @Test func anonymousMemoryAtTheEndsBoundsThePeak() {
        let bounded = Self.maximum(12, 2).bounded(by: [Self.process(10, anonymous: 6), Self.process(5, anonymous: 4)])
        #expect(bounded.anonymous == .mebibytes(6))
    }

    @Test func aCommandThatWasNeverSampledHasItsPeak() {
        let bounded = TreeMaximum.none.bounded(by: [Self.process(10)])
        #expect(bounded.resident == .mebibytes(10))
        #expect(bounded.processes == 1)
        #expect(bounded.timeNanoseconds == 9)
    }

    @Test func theLargestSumKeepsItsTime() {
        var maximum = TreeMaximum.none
        maximum.note(ResidentReading(resident: .mebibytes(5), shared: .mebibytes(1)), processes: 1, at: 10)
        maximum.note(ResidentReading(resident: .mebibytes(9), shared: .mebibytes(8)), processes: 3, at: 20)
        maximum.note(ResidentReading(resident: .mebibytes(7), shared: .mebibytes(1)), processes: 2, at: 30)
        #expect(
            maximum
                == TreeMaximum(
                    resident: .mebibytes(9), anonymous: .mebibytes(6), timeNanoseconds: 20, processes: 3))
    }

    private static func trace(_ processes: [ProcessTrace]) -> CommandTrace {
        CommandTrace(
            method: .exitStops, exitStatus: 0, startNanoseconds: 1, endNanoseconds: 9, cpuNanoseconds: 3,
            processes: processes, treeMaximum: maximum(12, 2))
    }

    @Test func oneProcessIsItsOwnPeak() {
        #expect(Self.trace([Self.process(10)]).peak == Self.process(10).peak)
    }

    @Test func severalProcessesPeakSomewhereBelowTheirSum() {
        let peak = Self.trace([Self.process(10), Self.process(5)]).peak
        #expect(peak.resident == .mebibytes(12))
        #expect(peak.errorBound == .mebibytes(3) + .kibibytes(7))
        #expect(peak.source == .exactReadings)
    }

    @Test func aTraceSurvivesBeingStored() throws {
        let trace = Self.trace([Self.process(10, anonymous: 3)])
        let data = try JSONEncoder().encode(trace)
        #expect(try JSONDecoder().decode(CommandTrace.self, from: data) == trace)
        let text = String(decoding: data, as: UTF8.self)
        for key in ["exit_stops", "tree_maximum", "resident_bytes", "cpu_ns", "timed_out", "maps_jemalloc"] {
            #expect(text.contains("\"\(key)\""))
        }
    }
}

struct WaitStatusTests {
    private static let ends: [(status: Int32, expected: WaitStatus)] = [
        (0, .exited(status: 0)), (7 << 8, .exited(status: 7)), (255 << 8, .exited(status: 255)),
        (9, .killed(signal: 9)), (11 | 0x80, .killed(signal: 11)),
    ]

    private static let events: [(event: Int32, expected: WaitStatus)] = [
        (1, .child(.fork)), (2, .child(.vfork)), (3, .child(.clone)), (4, .exec), (6, .exit), (128, .pause),
        (99, .pause),
    ]

    @Test(arguments: ends)
    func endsAreToldFromStops(status: Int32, expected: WaitStatus) {
        #expect(WaitStatus(status) == expected)
    }

    @Test(arguments: events)
    func eventsComeWithATrap(event: Int32, expected: WaitStatus) {
        #expect(WaitStatus(event << 16 | SIGTRAP << 8 | 0x7f) == expected)
    }

    @Test(arguments: [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU])
    func aGroupStopIsNotADelivery(signal: Int32) {
        #expect(WaitStatus(128 << 16 | signal << 8 | 0x7f) == .groupStop)
        #expect(WaitStatus(signal << 8 | 0x7f) == .delivery(signal: signal))
    }

    @Test(arguments: [SIGUSR1, SIGTRAP, SIGTERM, 34])
    func everySignalIsDelivered(signal: Int32) {
        #expect(WaitStatus(signal << 8 | 0x7f) == .delivery(signal: signal))
    }
}
