// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct StatusFileTests {
    @Test(arguments: [
        (Recording.linux4x18, 46080, 45056, 27012, 17980, 64, 0, 9),
        (.linux5x10, 756, 756, 68, 688, 0, 0, 1),
        (.linux6x1, 1_310_720, 1_056_768, 1_017_524, 39116, 128, 51200, 87),
        (.linux6x18, 1716, 1716, 116, 1600, 0, 0, 1),
    ])
    func sizesAreReadInTheirPlaces(
        recording: Recording, peak: Int, resident: Int, anonymous: Int, file: Int, shmem: Int, swapped: Int,
        threads: Int
    ) throws {
        let status = try StatusFile(parsing: recording.status)
        #expect(status.peakResident == .kibibytes(peak))
        #expect(status.resident == .kibibytes(resident))
        #expect(status.anonymous == .kibibytes(anonymous))
        #expect(status.file == .kibibytes(file))
        #expect(status.shmem == .kibibytes(shmem))
        #expect(status.swapped == .kibibytes(swapped))
        #expect(status.threads == threads)
    }

    @Test(arguments: [(Recording.linux3x10, 5412, 12), (.linux4x4, 7572, 0)])
    func kernelsBefore45HaveNoPartsOfTheResidentSet(recording: Recording, peak: Int, swapped: Int) throws {
        let status = try StatusFile(parsing: recording.status)
        #expect(status.peakResident == .kibibytes(peak))
        #expect(status.swapped == .kibibytes(swapped))
        #expect(status.anonymous == nil && status.file == nil && status.shmem == nil)
    }

    @Test func pagesOfAHugePagePoolAreReadApart() throws {
        let status = try StatusFile(parsing: "VmRSS:\t5 kB\nHugetlbPages:\t 2048 kB\nThreads:\t1\n")
        #expect(status.hugetlb == .kibibytes(2048) && status.resident == .kibibytes(5))
        #expect(try StatusFile(parsing: "VmRSS:\t5 kB\nThreads:\t1\n").hugetlb == .zero)
    }

    @Test func aZombieHasNoMemoryLines() throws {
        let status = try StatusFile(parsing: "Name:\tsleep\nState:\tZ (zombie)\nThreads:\t1\nSigQ:\t0/1\n")
        #expect(status.resident == nil && status.peakResident == nil && status.swapped == nil)
    }

    @Test func aNameThatLooksLikeAFieldIsNotOne() throws {
        let status = try StatusFile(parsing: "Name:\tVmHWM: 9 kB\nVmHWM:\t  5 kB\nThreads:\t1\n")
        #expect(status.peakResident == .kibibytes(5))
    }

    @Test func theLastLineNeedsNoEnd() throws {
        #expect(try StatusFile(parsing: "Threads:\t3\nVmRSS:\t 7 kB").resident == .kibibytes(7))
    }

    @Test(arguments: [
        "VmHWM:", "VmHWM:\n", "VmHWM: many kB", "VmHWM:\t12", "VmHWM:\t12 MB", "VmHWM:\t12 kBytes", "VmHWM:\t-1 kB",
        "VmHWM:\t9223372036854775807 kB", "VmHWM:\t99999999999999999999 kB", "VmHWM:\t1 2 kB", "VmHWM:\n12 kB",
    ])
    func malformedSizeThrows(line: String) {
        #expect(throws: MemProbeError(.malformed, source: "VmHWM")) {
            try StatusFile(parsing: "Name:\tcat\n\(line)\nThreads:\t1\n")
        }
    }

    @Test(arguments: ["", "\n\n", "Name:\tcat\n", "Threads:", "Threads:\tmany\n", "VmHWM:\t5 kB\n", "threads:\t1\n"])
    func statusWithoutThreadsThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "Threads")) { try StatusFile(parsing: text) }
    }
}
