// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The values that are reported, without processes.
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

    @Test func whatWasAnonymousAtAnEndWasAnonymousAtOnce() {
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
