// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// The samples kept of a command, of any duration.
struct TreeSeriesTests {
    private func sample(_ time: Int, _ kibibytes: Int) -> Sample {
        Sample(timeNanoseconds: time, resident: .kibibytes(kibibytes), shared: .kibibytes(kibibytes / 4))
    }

    private func series(_ kibibytes: [Int], capacity: Int) -> TreeMaximum.Series {
        var series = TreeMaximum.Series(capacity: capacity)
        for (index, size) in kibibytes.enumerated() { series.note(sample(index + 1, size)) }
        return series
    }

    @Test func shortTextsAreKeptWhole() {
        #expect(TreeMaximum.Series().samples.isEmpty)
        let sizes = [5, 3, 3, 9, 1, 4]
        let all = sizes.enumerated().map { sample($0 + 1, $1) }
        #expect(series(sizes, capacity: 6).samples == all && series(sizes, capacity: 100).samples == all)
    }

    @Test func ofTwoTheLargerOneStays() {
        #expect(series([1, 2, 8, 4, 5], capacity: 4).samples == [sample(2, 2), sample(3, 8), sample(5, 5)])
        #expect(
            series([1, 2, 8, 4, 5, 7, 6], capacity: 4).samples
                == [sample(2, 2), sample(3, 8), sample(6, 7), sample(7, 6)], "from then on it takes one of every two")
        #expect(series([3, 3, 3], capacity: 2).samples == [sample(1, 3), sample(3, 3)], "of equals the earlier one")
    }

    /// A size for every length up to many times the capacity, rising, falling and in disorder.
    @Test(arguments: [2, 3, 4, 7, 10, 64], [0, 1, 2])
    func itNeverGrowsAndKeepsTheMaximumAndTheOrder(capacity: Int, shape: Int) {
        var series = TreeMaximum.Series(capacity: capacity)
        var all: [Sample] = []
        for number in 1...300 {
            let size = [number, 500 - number, number * 7919 % 1009][shape]
            all.append(sample(number * 10, size))
            series.note(all[number - 1])
            let kept = series.samples
            #expect(kept.count <= capacity && !kept.isEmpty)
            #expect(kept.map(\.resident).max() == all.map(\.resident).max())
            #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.timeNanoseconds < $1.timeNanoseconds })
        }
        #expect(Set(series.samples).isSubset(of: all), "each is a sample that was taken, with all that it read")
        #expect(series.samples.count >= capacity / 2, "and it is no coarser than it has to be")
    }

    /// One spike among thousands of level samples, wherever it falls.
    @Test(arguments: [1, 2, 999, 1000, 1001, 4097, 9999]) func aSpikeIsKeptWithItsTime(at place: Int) {
        let sizes = (1...10_000).map { $0 == place ? 900 : 100 }
        let kept = series(sizes, capacity: 1000).samples
        #expect(kept.count <= 1000 && kept.contains(sample(place, 900)))
        #expect(kept.count { $0.resident == .kibibytes(900) } == 1)
    }
}

/// A trace of very many processes, of which only some are listed one by one.
struct TraceListingTests {
    private static func process(
        _ order: Int, _ name: String, _ mebibytes: Int, bound: Int = 1, outlived: Bool = false
    ) -> ProcessTrace {
        ProcessTrace(
            order: order, parentOrder: order == 1 ? nil : 1, name: name,
            peak: PeakReading(
                resident: .mebibytes(mebibytes), source: .highWaterMark, errorBound: .mebibytes(bound)),
            threads: order, outlived: outlived, startNanoseconds: order, endNanoseconds: 9)
    }

    /// A small command that begins compilers and two linkers, and leaves a server behind.
    private static let processes = [
        process(1, "make", 1), process(2, "cc", 50), process(3, "ld", 90), process(4, "cc", 30),
        process(5, "server", 2, outlived: true), process(6, "cc", 70), process(7, "ld", 10),
    ]

    private func trace(_ processes: [ProcessTrace] = processes) -> CommandTrace {
        CommandTrace(
            method: .exitStops, exitStatus: 0, startNanoseconds: 1, endNanoseconds: 9, cpuNanoseconds: 3,
            processes: processes,
            treeMaximum: TreeMaximum(
                resident: .mebibytes(200), anonymous: .mebibytes(100), net: .mebibytes(150), timeNanoseconds: 5,
                processes: 4))
    }

    @Test func shortListsAreListedWhole() {
        #expect(trace().listing(7) == trace() && trace().listing(100) == trace())
    }

    @Test func theCommandAndWhatOutlivedItStayAndThenTheLargest() {
        let listed = trace().listing(4)
        #expect(listed.processes.map(\.order) == [1, 3, 5, 6], "in the order in which they began")
        #expect(
            listed.others == [
                OtherProcesses(
                    name: "cc", count: 2, largestPeak: .mebibytes(50), sumOfPeaks: .mebibytes(80),
                    errorBound: .mebibytes(1),
                    threads: 4),
                OtherProcesses(
                    name: "ld", count: 1, largestPeak: .mebibytes(10), sumOfPeaks: .mebibytes(10),
                    errorBound: .mebibytes(1),
                    threads: 7),
            ], "the largest first")
        #expect(trace().listing(2).processes.map(\.name) == ["make", "server"])
    }

    @Test(arguments: 2...8) func noFigureOfTheWholeChanges(most: Int) {
        let (whole, listed) = (trace(), trace().listing(most))
        #expect(listed.processes.count <= most)
        #expect(listed.processCount == whole.processCount && listed.sumOfPeaks == whole.sumOfPeaks)
        #expect(listed.peak == whole.peak && listed.netPeak == whole.netPeak)
        #expect(listed.programPages == whole.programPages && listed.treeMaximum == whole.treeMaximum)
        let counts = Dictionary(grouping: whole.processes, by: \.name).mapValues(\.count)
        for (name, count) in counts {
            let kept = listed.processes.count { $0.name == name }
            #expect(kept + listed.others.filter { $0.name == name }.reduce(0) { $0 + $1.count } == count)
        }
    }

    /// The least exact peak may be that of a process which is not listed.
    @Test func theErrorBoundIsThatOfAllProcesses() {
        var processes = Self.processes
        processes[6] = Self.process(7, "ld", 10, bound: 40)
        let whole = trace(processes)
        #expect(whole.listing(3).peak.errorBound == whole.peak.errorBound)
    }

    @Test func listingLessOfAListingIsTheSame() {
        for most in 2...6 { #expect(trace().listing(6).listing(most) == trace().listing(most)) }
    }

    @Test func aListingSurvivesBeingStored() throws {
        var listed = trace().listing(3)
        listed.series = [Sample(timeNanoseconds: 5, resident: .mebibytes(9), shared: .mebibytes(2))]
        let data = try JSONEncoder().encode(listed)
        #expect(try JSONDecoder().decode(CommandTrace.self, from: data) == listed)
        let text = String(decoding: data, as: UTF8.self)
        for key in ["others", "largest_peak_bytes", "sum_of_peaks_bytes", "series", "time_ns"] {
            #expect(text.contains("\"\(key)\""))
        }
    }

    /// As versions before there were listings and series stored it.
    @Test func anOlderTraceHasNeither() throws {
        let text = """
            {"method":"exit_stops","exit_status":0,"timed_out":false,"start_ns":1,"end_ns":9,"cpu_ns":3,"processes":[],
            "tree_maximum":{"resident_bytes":0,"anonymous_bytes":0,"time_ns":0,"processes":0}}
            """
        let trace = try JSONDecoder().decode(CommandTrace.self, from: Data(text.utf8))
        #expect(trace.others.isEmpty && trace.series.isEmpty && trace.processCount == 0)
    }
}
