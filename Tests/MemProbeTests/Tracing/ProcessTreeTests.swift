// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Testing

/// The orders in which events can come, without processes.
struct ProcessTreeTests {
    private static let bound = ByteCount.kibibytes(100)

    private static func mebibytes(_ count: Int) -> ProcessReading {
        ProcessReading(mark: .mebibytes(count), anonymous: .mebibytes(count / 2))
    }

    /// A command that has become its program, with a supervisor of 20 MiB behind it.
    private static func started() -> ProcessTree {
        var tree = ProcessTree(leader: 100, bound: bound, at: 1)
        tree.execute(100, former: 100, name: "command", largestResident: .mebibytes(20))
        return tree
    }

    private static func resident(_ count: Int) -> ResidentReading {
        ResidentReading(resident: .mebibytes(count), shared: .mebibytes(1))
    }

    @Test func memoryHeldBeforeExecIsNotInThePeak() {
        var tree = ProcessTree(leader: 100, bound: Self.bound, at: 1)
        tree.note([(0, Self.resident(300))], at: 2)
        tree.execute(100, former: 100, name: "command", largestResident: .mebibytes(300))
        tree.noteEnd(100, Self.mebibytes(8))
        tree.end(100, at: 3)
        #expect(tree.traces(end: 3).map(\.peak.resident) == [.mebibytes(8)])
        #expect(tree.maximum.resident == .zero)
        #expect(tree.isEmpty)
    }

    @Test func eachThreadsEndCountsAndTheLargestStays() {
        var tree = Self.started()
        for thread: Int32 in 101...103 {
            tree.appear(thread, ThreadIdentity(process: 100, parent: 1), memory: .own, at: 2)
        }
        tree.noteEnd(102, Self.mebibytes(40))
        tree.end(102, at: 3)
        #expect(!tree.isEmpty)
        tree.noteEnd(100, Self.mebibytes(30))
        tree.noteEnd(101, Self.mebibytes(30))
        tree.noteEnd(103, Self.mebibytes(30))
        for thread: Int32 in [101, 103, 100] { tree.end(thread, at: 4) }
        let traces = tree.traces(end: 4)
        #expect(traces.count == 1)
        #expect(traces[0].peak.resident == .mebibytes(40))
        #expect(traces[0].threads == 4)
        #expect(traces[0].anonymousAtEnd == .mebibytes(15))
    }

    @Test func aChildBeforeItsProgramHoldsItsParentsMemory() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .parents, at: 2)
        tree.note([(0, Self.resident(50)), (1, Self.resident(50))], at: 3)
        #expect(tree.maximum.resident == .mebibytes(50))
        #expect(tree.maximum.processes == 1)
        tree.execute(200, former: 200, name: "child", largestResident: .mebibytes(50))
        tree.note([(0, Self.resident(50)), (1, Self.resident(4))], at: 4)
        #expect(tree.maximum.resident == .mebibytes(53))
        tree.noteEnd(200, Self.mebibytes(4))
        tree.end(200, at: 5)
        let child = tree.traces(end: 5).last
        #expect(child?.peak.resident == .mebibytes(4))
        #expect(child?.name == "child")
        #expect(child?.parentOrder == 1)
    }

    @Test func aChildThatNeverHadMemoryIsPassedOver() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .parents, at: 2)
        tree.appear(201, ThreadIdentity(process: 201, parent: 200), memory: .own, at: 2)
        tree.noteEnd(200, Self.mebibytes(50))
        tree.end(200, at: 3)
        tree.noteEnd(201, Self.mebibytes(5))
        tree.end(201, at: 3)
        #expect(tree.traces(end: 3).map(\.order) == [1, 2])
        #expect(tree.traces(end: 3).map(\.parentOrder) == [nil, 1])
    }

    @Test func aCopyCountsFromItsBeginning() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .own, at: 2)
        tree.noteEnd(200, Self.mebibytes(60))
        tree.end(200, at: 3)
        #expect(tree.traces(end: 3).last?.peak.resident == .mebibytes(60))
        #expect(tree.traces(end: 3).last?.name == "command")
    }

    @Test func aThreadThatBecomesAProgramTakesTheProcessOver() {
        var tree = Self.started()
        tree.appear(101, ThreadIdentity(process: 100, parent: 1), memory: .own, at: 2)
        tree.appear(102, ThreadIdentity(process: 100, parent: 1), memory: .own, at: 2)
        tree.noteEnd(100, Self.mebibytes(9))
        tree.execute(100, former: 102, name: "second", largestResident: .mebibytes(20))
        #expect(tree.processes[0].threads == [100])
        #expect(tree.index(ofThread: 102) == nil)
        tree.end(101, at: 3)
        #expect(!tree.isEmpty)
        tree.noteEnd(100, Self.mebibytes(12))
        tree.end(100, at: 4)
        #expect(tree.isEmpty)
        #expect(tree.traces(end: 4).map(\.name) == ["second"])
    }

    @Test func theKernelRemembersTheProgramBefore() {
        var tree = Self.started()
        tree.note([(0, Self.resident(70))], at: 2)
        tree.execute(100, former: 100, name: "second", largestResident: .mebibytes(80))
        tree.noteEnd(100, Self.mebibytes(3))
        tree.end(100, at: 3)
        let peak = tree.traces(end: 3)[0].peak
        #expect(peak.resident == .mebibytes(80))
        #expect(peak.source == .highWaterMarkWithoutReset)
    }

    @Test func aChildsPeakIsNotThePeakOfTheProgramBefore() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .own, at: 2)
        tree.note([(0, Self.resident(5))], at: 2)
        tree.noteEnd(200, Self.mebibytes(90))
        tree.end(200, at: 3)
        // The kernel's figure is now the child's, and may differ from its mark by the bound.
        tree.execute(100, former: 100, name: "second", largestResident: .mebibytes(90) + Self.bound)
        tree.noteEnd(100, Self.mebibytes(3))
        tree.end(100, at: 4)
        let peak = tree.traces(end: 4)[0].peak
        #expect(peak.resident == .mebibytes(5))
        #expect(peak.source == .exactReadings)
    }

    @Test func aSupervisorsMemoryIsNotThePeakOfTheProgramBefore() {
        var tree = Self.started()
        tree.note([(0, Self.resident(5))], at: 2)
        tree.execute(100, former: 100, name: "second", largestResident: .mebibytes(20))
        tree.noteEnd(100, Self.mebibytes(6))
        #expect(tree.traces(end: 4)[0].peak.resident == .mebibytes(6))
    }

    @Test func anUnknownThreadsEventsChangeNothing() {
        var tree = Self.started()
        let before = tree.traces(end: 9)
        tree.noteEnd(999, Self.mebibytes(70))
        tree.end(999, at: 2)
        tree.execute(998, former: 997, name: "other", largestResident: .mebibytes(70))
        tree.appear(100, ThreadIdentity(process: 100, parent: 1), memory: .own, at: 3)
        #expect(tree.traces(end: 9) == before)
    }

    @Test func anOrphanOfUnknownParentIsTheCommandsChild() {
        var tree = Self.started()
        tree.appear(300, ThreadIdentity(process: 300, parent: 1), memory: .own, at: 2)
        tree.noteEnd(300, Self.mebibytes(3))
        #expect(tree.traces(end: 3).last?.parentOrder == 1)
    }

    @Test func aNumberUsedTwiceIsTwoProcesses() {
        var tree = Self.started()
        for mark in [30, 40] {
            tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .own, at: mark)
            tree.noteEnd(200, Self.mebibytes(mark))
            tree.end(200, at: mark + 1)
        }
        #expect(tree.traces(end: 50).dropFirst().map(\.peak.resident) == [.mebibytes(30), .mebibytes(40)])
        #expect(tree.traces(end: 50).map(\.order) == [1, 2, 3])
    }

    @Test func withoutAMarkTheLargestReadingStandsAndSaysSo() {
        var tree = Self.started()
        tree.note([(0, Self.resident(12))], at: 2)
        tree.noteEnd(100, ProcessReading(mark: nil))
        let peak = tree.traces(end: 4)[0].peak
        #expect(peak.resident == .mebibytes(12))
        #expect(peak.source == .exactReadings)
    }

    @Test func aCommandOfWhichNothingWasReadHasABoundAndNoPeak() {
        var tree = Self.started()
        tree.note(largestPossible: .mebibytes(21))
        let unread = tree.traces(end: 4)[0].peak
        #expect(unread.resident == .zero)
        #expect(unread.errorBound == .mebibytes(21))
        tree.noteEnd(100, Self.mebibytes(6))
        #expect(tree.traces(end: 4)[0].peak.resident == .mebibytes(6))
        // Pages touched after the last reading lie between the two.
        #expect(tree.traces(end: 4)[0].peak.errorBound == .mebibytes(15) + Self.bound)
    }

    @Test func aChildOfWhichNothingWasReadIsNotReported() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .own, at: 2)
        tree.end(200, at: 3)
        #expect(tree.traces(end: 4).count == 1)
    }

    @Test func onlyTheLivingOutliveTheCommand() {
        var tree = Self.started()
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: .own, at: 2)
        tree.appear(201, ThreadIdentity(process: 201, parent: 100), memory: .own, at: 2)
        tree.note([(0, Self.resident(1)), (1, Self.resident(2)), (2, Self.resident(3))], at: 2)
        tree.end(200, at: 3)
        tree.end(100, at: 3)
        tree.markOutlived()
        #expect(tree.traces(end: 4).map(\.outlived) == [false, false, true])
    }

    /// A parent of 50 MiB, of which 1 is of files, and two copies of it.
    private static func copied() -> ProcessTree {
        var tree = started()
        for child: Int32 in [200, 300] {
            tree.appear(child, ThreadIdentity(process: child, parent: 100), memory: .own, at: 2)
        }
        return tree
    }

    @Test func copiesShareUntilTheyExecute() {
        var tree = Self.copied()
        tree.note([(0, Self.resident(50)), (1, Self.resident(50)), (2, Self.resident(52))], at: 3)
        #expect(tree.maximum.resident == .mebibytes(52))
        #expect(tree.joint.most.resident == .mebibytes(152))
        tree.execute(200, former: 200, name: "child", largestResident: .mebibytes(50))
        tree.note([(0, Self.resident(50)), (1, Self.resident(50)), (2, Self.resident(52))], at: 4)
        #expect(tree.maximum.resident == .mebibytes(51 + 49 + 1))
    }

    @Test func aCopyOfACopyIsOfTheSameKin() {
        var tree = Self.copied()
        tree.appear(400, ThreadIdentity(process: 400, parent: 200), memory: .own, at: 3)
        tree.end(200, at: 4)
        tree.note([(0, Self.resident(50)), (3, Self.resident(50))], at: 5)
        #expect(tree.maximum.resident == .mebibytes(50))
        // The parent's new program shares nothing with the copies that it leaves behind.
        tree.execute(100, former: 100, name: "other", largestResident: .zero)
        tree.note([(0, Self.resident(50)), (3, Self.resident(50))], at: 6)
        #expect(tree.maximum.resident == .mebibytes(99))
    }

    @Test func proportionalMemoryIsALowerBoundToo() {
        var tree = Self.copied()
        tree.note([(0, Self.resident(50)), (1, Self.resident(50)), (2, Self.resident(50))], at: 3)
        let part = ProportionalReading(anonymous: .mebibytes(30), file: .mebibytes(1), shmem: .mebibytes(2))
        tree.note(proportional: [(0, part), (1, part)], at: 4)
        #expect(tree.maximum.resident == .mebibytes(66) && tree.maximum.anonymous == .mebibytes(60))
        for index: Int32 in [100, 200, 300] {
            tree.noteEnd(index, ProcessReading(mark: .mebibytes(50), programPages: .mebibytes(1)))
        }
        // The pages of the program are in none, those of shared memory are.
        let net = tree.netMaximum(within: tree.traces(end: 5))
        #expect(net?.least == .mebibytes(64) && net?.most == .mebibytes(147))
    }

    /// Copies of one process, which may share all that they hold, or nothing.
    @Test func aGroupTellsHowMuchCopiesShare() throws {
        var tree = Self.copied()
        let sample: TreeSample = (0..<3).map { ($0, Self.resident(50)) }
        tree.note(sample, at: 3)
        #expect(tree.joint.least.resident < .mebibytes(51) && tree.joint.most.resident == .mebibytes(150))
        let group = try ChargeStatistics(parsing: "anon \(120 << 20)\nfile 0\nshmem \(900 << 20)\n")
        tree.note(sample, group: group, at: 4)
        #expect(tree.maximum.anonymous == .mebibytes(120) && tree.joint.least.anonymous == .mebibytes(120))
        let end = ProcessReading(mark: .mebibytes(50), files: .mebibytes(3), programPages: .mebibytes(1))
        for index: Int32 in [100, 200, 300] { tree.noteEnd(index, end) }
        tree.groupPeak = ChargePeak(total: .mebibytes(130), errorBound: .zero)
        let net = tree.netMaximum(within: tree.traces(end: 5))
        // Each has two mebibytes of files mapped as data, which another group may be charged for.
        #expect(net?.most == .mebibytes(136))
        // Processes that have left the group are in no charge of it.
        let empty = try ChargeStatistics(parsing: "anon 0\nfile 0\nshmem 0\n")
        for time in 6...12 { tree.note(sample, group: empty, at: time) }
        #expect(tree.netMaximum(within: tree.traces(end: 20))?.most == .mebibytes(147))
    }

    /// The bounds of copies of one process.
    private static func joint(_ count: Int, of size: Int) -> JointReading {
        let parts = (0..<count).map { TreeMaximum.Part(index: $0, kin: 0, reading: resident(size)) }
        return JointReading(TreeMaximum.Snapshot(parts: parts))
    }

    @Test(arguments: [
        (0, 0, true), (0, 40_000_000, false), (3_740_000_000, 40_000_000, false), (3_760_000_000, 40_000_000, true),
    ])
    func aReadingIsTakenForAFiftiethOfTheTime(elapsed: Int, cost: Int, isDue: Bool) {
        var pace = ProportionalSampler.Pace(start: 0)
        let joint = Self.joint(4, of: 100)
        _ = pace.isDue(joint, known: .zero, at: 0)
        if cost > 0 { pace.note(nanoseconds: cost, for: joint, at: 0) }
        #expect(pace.isDue(joint, known: .zero, at: elapsed + 1) == isDue)
    }

    @Test func noSharesAreReadWhereTheBoundsAgreeOrTheProcessesGrow() {
        var pace = ProportionalSampler.Pace(start: 0)
        let alone = Self.joint(1, of: 100)
        #expect(!pace.isDue(alone, known: .zero, at: 1) && !pace.isDue(alone, known: .zero, at: 2))
        let two = { Self.joint(2, of: $0) }
        #expect(!pace.isDue(two(100), known: .zero, at: 3) && !pace.isDue(two(150), known: .zero, at: 4))
        #expect(pace.isDue(two(150), known: .zero, at: 5) && !pace.isDue(two(150), known: .mebibytes(298), at: 6))
    }
}

/// The bookkeeping cost of each of many short-lived processes.
@Suite(.serialized, .ownThreads) struct ProcessTreeCostTests {
    /// A shell that runs so many programs one after another, each with a second thread; a few always live beside it.
    private static func run(_ count: Int) -> ProcessTree {
        var tree = ProcessTree(leader: 1, bound: .kibibytes(100), at: 0)
        tree.execute(1, former: 1, name: "sh", largestResident: .zero)
        let reading = ProcessReading(mark: .mebibytes(2))
        for index in 0..<count {
            let child = Int32(10 + 2 * index)
            tree.appear(child, ThreadIdentity(process: child, parent: 1), memory: .parents, at: index)
            tree.execute(child, former: child, name: "true", largestResident: .mebibytes(1))
            tree.appear(child + 1, ThreadIdentity(process: child, parent: 1), memory: .unknown, at: index)
            tree.note(tree.living.map { ($0, ResidentReading(resident: .mebibytes(1), shared: .zero)) }, at: index)
            for thread in [child + 1, child] {
                tree.noteEnd(thread, reading)
                tree.end(thread, at: index)
            }
            if tree.isEmpty || tree.index(ofProcess: child) != nil { break }
        }
        return tree
    }

    /// The CPU time of this thread for each process, the least of several tries: other work on the machine only adds.
    private static func nanosecondsEach(_ count: Int) -> Double {
        (0..<5).map { _ in
            var (before, after) = (timespec(), timespec())
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
            let tree = run(count)
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
            precondition(tree.processes.count == count + 1)
            return Double((after.tv_sec - before.tv_sec) * 1_000_000_000 + after.tv_nsec - before.tv_nsec)
                / Double(count)
        }.min() ?? 0
    }

    @Test func itDoesNotGrowWithTheirNumber() {
        let few = Self.nanosecondsEach(500)
        let many = Self.nanosecondsEach(16_000)
        // Going through all of them at each event would make it 32 times as much.
        #expect(many < few * 8)
    }

    @Test func theLivingAreThoseThatHaveNotEnded() {
        var tree = ProcessTree(leader: 1, bound: .zero, at: 0)
        for identifier: Int32 in 2...50 {
            tree.appear(identifier, ThreadIdentity(process: identifier, parent: 1), memory: .own, at: 1)
        }
        for identifier: Int32 in 2...50 where !identifier.isMultiple(of: 7) { tree.end(identifier, at: 2) }
        #expect(tree.living == [0] + stride(from: 6, to: 49, by: 7).map { $0 })
        #expect(tree.living.map { tree.processes[$0].identifier } == [1] + stride(from: 7, to: 50, by: 7).map { $0 })
        #expect(tree.index(ofProcess: 7) == 6 && tree.index(ofProcess: 8) == nil)
    }
}
