// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct PeakRecordTests {
    static let bound = ByteCount.kibibytes(744)

    /// The reading of a phase with exact readings of 40 and 60 MiB.
    private func reading(_ start: PeakRecord.Start, mark: ByteCount?) -> PeakReading {
        var record = PeakRecord(start: start)
        record.note(.mebibytes(60))
        record.note(.mebibytes(40))
        return record.reading(mark: mark, bound: Self.bound)
    }

    @Test func theMarkIsThePeakAfterAReset() {
        let peak = reading(.reset, mark: .mebibytes(90))
        #expect(peak == PeakReading(resident: .mebibytes(90), source: .highWaterMark, errorBound: Self.bound))
    }

    @Test func anExactReadingAboveTheMarkIsThePeak() {
        let peak = reading(.reset, mark: .mebibytes(59))
        #expect(peak == PeakReading(resident: .mebibytes(60), source: .highWaterMark, errorBound: Self.bound))
    }

    @Test func aMarkThatRoseCountsWithoutAReset() {
        let peak = reading(.refused(mark: .mebibytes(80)), mark: .mebibytes(90))
        #expect(peak.resident == .mebibytes(90))
        #expect(peak.source == .highWaterMarkWithoutReset)
        #expect(peak.errorBound == Self.bound)
    }

    @Test func aMarkThatStayedBelongsToAnEarlierPhase() {
        let peak = reading(.refused(mark: .mebibytes(500)), mark: .mebibytes(500))
        #expect(peak.resident == .mebibytes(60))
        #expect(peak.source == .exactReadings)
        #expect(peak.errorBound == .mebibytes(440) + Self.bound)
    }

    @Test func withoutAnyMarkTheReadingsAreAllThereIs() {
        for start in [PeakRecord.Start.reset, .refused(mark: nil), .refused(mark: .zero)] {
            let peak = reading(start, mark: nil)
            #expect(peak.resident == .mebibytes(60))
            #expect(peak.source == .exactReadings)
        }
    }

    @Test func aMarkThatAppearsLaterWasNotSeenToRise() {
        #expect(reading(.refused(mark: nil), mark: .mebibytes(90)).source == .exactReadings)
    }

    /// The mark has 30 MiB of other memory, the samples 40 MiB of a pool and 5 of the rest at once, and then 20 and 25.
    @Test func hugePagesAreInSamplesAlone() {
        var record = PeakRecord(start: .reset)
        for (rest, pool) in [(5, 40), (25, 20)] {
            record.note(
                ResidentReading(resident: .mebibytes(rest), shared: .mebibytes(1)).adding(hugetlb: .mebibytes(pool)))
        }
        let peak = record.reading(mark: .mebibytes(30), bound: Self.bound)
        #expect(peak.resident == .mebibytes(45) && peak.source == .exactReadings)
        #expect(peak.errorBound == .mebibytes(30 + 40 - 45) + Self.bound)
    }

    @Test func beforeAnyResetThePeakIsThatOfTheLifetime() {
        let peak = PeakRecord.ofLifetime.reading(mark: .mebibytes(9), bound: Self.bound)
        #expect(peak.resident == .mebibytes(9))
        #expect(peak.source == .highWaterMarkWithoutReset)
    }

    @Test(arguments: [(1, 93), (2, 186), (16, 1488), (32, 6048), (64, 24384)])
    func theBoundGrowsWithTheSquareOfManyCPUs(cpus: Int, pages: Int) {
        #expect(PeakErrorBound.bytes(cpus: cpus, pageSize: 4096) == ByteCount(pages * 4096))
    }

    @Test func theBoundOfThisMachineIsThatOfSomeNumberOfCPUsOrOfAThread() {
        let current = PeakErrorBound.current
        let byCPU = (1...4096).contains { PeakErrorBound.bytes(cpus: $0, pageSize: 4096) == current }
        #expect(byCPU || current == PeakErrorBound.bytesAThread(pageSize: 4096))
    }

    /// Releases as kernels wrote them, and who keeps counts back under each.
    @Test(arguments: [
        ("6.18.44-fc-v669", 1488), ("6.2.0", 1488), ("6.10.3-amd64", 1488), ("6.1.0-18-amd64", 8 * 66 * 16),
        ("5.15.0-91-generic", 8 * 66 * 16), ("5.4.0-1103-aws", 8 * 66 * 16), ("4.18.0-513.el8.x86_64", 8 * 66 * 16),
        ("made up", 1488 + 8 * 66 * 16),
    ])
    func theKernelDecidesWhoKeepsCountsBack(release: String, pages: Int) {
        let machine = PeakErrorBound.Machine(kernel: KernelVersion(release: release), cpus: 16, pageSize: 4096)
        #expect(machine.bytes(threads: 8) == ByteCount(pages * 4096))
        #expect(machine.bytes(threads: 1) <= machine.bytes(threads: 8))
    }

    @Test func releasesAreReadAsNumbers() throws {
        let versions = ["4.18.0-513.el8.x86_64", "5.4-rc1", "5.15.0-91-generic", "6.1+", "6.2.0", "6.10.3"].map {
            KernelVersion(release: $0)
        }
        #expect(versions == [.init(4, 18), .init(5, 4), .init(5, 15), .init(6, 1), .init(6, 2), .init(6, 10)])
        #expect(try versions.map { try #require($0) }.sorted() == versions.compactMap(\.self))
        for release in ["", "6", "six.one", "6.", ".2"] { #expect(KernelVersion(release: release) == nil) }
        #expect(KernelVersion.current != nil)
    }
}
