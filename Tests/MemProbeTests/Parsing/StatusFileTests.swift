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

struct StatFileTests {
    @Test(arguments: [
        (Recording.linux3x10, "S", 231, 1, 3, 1), (.linux4x4, "S", 645, 2, 48, 1), (.linux4x18, "R", 15034, 31, 500, 9),
        (.linux5x10, "R", 92, 0, 0, 1), (.linux6x1, "S", 812_345, 412, 203_623, 87), (.linux6x18, "R", 99, 0, 0, 1),
    ])
    func countersAreReadBehindAnyName(
        recording: Recording, state: String, minor: Int, major: Int, ticks: Int, threads: Int
    ) throws {
        let stat = try StatFile(parsing: recording.stat)
        #expect(stat.state == state.utf8.first)
        #expect(stat.minorFaults == minor)
        #expect(stat.majorFaults == major)
        #expect(stat.cpuTicks == ticks)
        #expect(stat.threads == threads)
    }

    static let fields = "S 1 1 1 0 -1 0 10 11 12 13 14 15 16 17 20 0 3 0 99 4096 7"

    @Test(arguments: ["a b", ") R 9 9 9", "((", "))", "", "x) S (", "with 1 2 3 numbers"])
    func theNameMayHoldAnything(name: String) throws {
        let stat = try StatFile(parsing: "7 (\(name)) \(Self.fields)\n")
        #expect(stat.minorFaults == 10 && stat.majorFaults == 12 && stat.cpuTicks == 29 && stat.threads == 3)
        #expect(stat.startTicks == 99 && stat.parent == 1 && stat.stackStart == 0 && !stat.isZombie)
    }

    @Test func aReplacedProgramAndAZombieAreSeen() throws {
        let text =
            "815 (a) Z 1 815 815 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 3 0 1000 8192 50 18446744073709551615 1 2 140721234"
        let stat = try StatFile(parsing: text)
        #expect(stat.isZombie && stat.stackStart == 140_721_234)
    }

    @Test(arguments: [
        "", ")", "7 cat S 1 1", "7 (cat)", "7 (cat) ", "7 (cat) SS 1 1 1 0 -1 0 10 11 12 13 14 15 16 17 20 0 3",
        "7 (cat) S 1 1 1 0 -1 0 10 11 12 13 14", "7 (cat) S 1 1 1 0 -1 0 ten 11 12 13 14 15 16 17 20 0 3",
        "7 (cat) S 1 1 1 0 -1 0 10 11 12 13 99999999999999999999 15 16 17 20 0 3",
        "7 (cat) S 1 1 1 0 -1 0 10 11 12 13 9223372036854775807 15 16 17 20 0 3",
        "7 (cat) S 1 1 1 0 -1 0 10 11 12 13 14 15 16 17 20 0\n3",
    ])
    func malformedStatThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "stat")) { try StatFile(parsing: text) }
    }
}

struct StatmFileTests {
    @Test(arguments: [
        (Recording.linux3x10, 1353, 283), (.linux4x4, 1789, 1034), (.linux4x18, 11264, 4511), (.linux5x10, 189, 172),
        (.linux6x1, 264_192, 9811), (.linux6x18, 435, 406),
    ])
    func pagesAreReadOnEveryKernel(recording: Recording, resident: Int, shared: Int) throws {
        let file = try StatmFile(parsing: recording.statm)
        #expect(file.resident == resident)
        #expect(file.shared == shared)
    }

    @Test func aZombieHasNoAddressSpace() throws {
        #expect(try StatmFile(parsing: "0 0 0 0 0 0 0\n").size == 0)
    }

    @Test func theLargestNumberIsStillANumber() throws {
        #expect(try StatmFile(parsing: "\(Int.max) 1 1 0 0 0 0\n").size == Int.max)
    }

    @Test(arguments: [
        "", "\n", "765", "765 435", "765 435 \n406", "many 435 406", "765 435 406x 5", "-1 435 406", "765 43.5 406",
        "765 435 9223372036854775808", "765 99999999999999999999999999 406", "765\u{0}435 406",
    ])
    func malformedStatmThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "statm")) { try StatmFile(parsing: text) }
    }
}
