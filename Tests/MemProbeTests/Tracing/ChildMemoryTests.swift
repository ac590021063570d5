// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct ChildMemoryTests {
    private static let bound = ByteCount.kibibytes(100)

    @Test func theMemoryFlagSaysIt() {
        #expect(ChildMemory(cloneFlags: 0x4111) == .parents)
        #expect(ChildMemory(cloneFlags: 0x4011) == .own)
        #expect(ChildMemory(cloneFlags: 0) == .own)
    }

    @Test func withoutTheFlagsTheEventSaysWhatItCan() {
        #expect([WaitStatus.Birth.fork, .vfork, .clone].map(\.memory) == [.own, .parents, .unknown])
    }

    @Test func oneMemoryReadsTheSameForBoth() {
        #expect(ChildWatch.MemoryLines.judge(before: [9, 5], between: [9, 5], after: [9, 5]) == .parents)
        #expect(ChildWatch.MemoryLines.judge(before: [9, 5], between: [10, 6], after: [12, 6]) == .parents)
        #expect(ChildWatch.MemoryLines.judge(before: [9, 5], between: [9, 7], after: [9, 5]) == .own)
        #expect(ChildWatch.MemoryLines.judge(before: [9, 5], between: [9, 4], after: [9, 6]) == .unknown)
        #expect(ChildWatch.MemoryLines.judge(before: [9], between: [9, 4], after: [9]) == .unknown)
    }

    @Test func onlyTheLinesOfMemoryCount() {
        let text = Array("Name:\tVm\nVmPeak:\t  120 kB\nTgid:\t7\nRssAnon:\t 4 kB\nRssFile:\t 3 kB\nThreads:\t1\n".utf8)
        #expect(ChildWatch.MemoryLines.numbers(in: text.span) == [120, 4, 3])
        #expect(ChildWatch.MemoryLines.numbers(in: Array("Name:\tsh\nState:\tZ\n".utf8).span).isEmpty)
    }

    private static func reading(_ count: Int) -> ResidentReading {
        ResidentReading(resident: .mebibytes(count), shared: .mebibytes(1))
    }

    private static func tree(_ memory: ChildMemory) -> ProcessTree {
        var tree = ProcessTree(leader: 100, bound: bound, at: 1)
        tree.execute(100, former: 100, name: "command", largestResident: .zero)
        tree.appear(200, ThreadIdentity(process: 200, parent: 100), memory: memory, at: 2)
        return tree
    }

    @Test func undecidedMemoryIsADoubtAndInNoFigure() {
        var tree = Self.tree(.unknown)
        tree.note([(0, Self.reading(50)), (1, Self.reading(50))], at: 3)
        tree.noteEnd(200, ProcessReading(mark: .mebibytes(51)))
        tree.end(200, at: 4)
        #expect(tree.maximum.resident == .mebibytes(50))
        #expect(tree.traces(end: 5).count == 1)
        #expect(tree.undecided == .mebibytes(51))
    }

    @Test(arguments: [ChildMemory.own, .parents])
    func aDoubtMayBeDecided(memory: ChildMemory) {
        var tree = Self.tree(.unknown)
        tree.note([(0, Self.reading(50)), (1, Self.reading(40))], at: 3)
        tree.decide(memory, of: 1)
        tree.end(200, at: 4)
        #expect(tree.undecided == nil)
        #expect(tree.traces(end: 5).dropFirst().map(\.peak.resident) == (memory == .own ? [.mebibytes(40)] : []))
    }

    @Test func memoryThatOutlivesItsOwnerIsCountedOnce() {
        var tree = Self.tree(.parents)
        tree.appear(300, ThreadIdentity(process: 300, parent: 200), memory: .parents, at: 2)
        tree.note([(0, Self.reading(50)), (1, Self.reading(50)), (2, Self.reading(50))], at: 3)
        tree.end(100, at: 4)
        tree.note([(1, Self.reading(60)), (2, Self.reading(60))], at: 5)
        #expect(tree.maximum.resident == .mebibytes(60))
        tree.execute(200, former: 200, name: "other", largestResident: .zero)
        tree.note([(1, Self.reading(5)), (2, Self.reading(60))], at: 6)
        #expect(tree.maximum.resident == .mebibytes(64))
    }

    /// Whose memory a child uses need not be known where its parent has gone.
    @Test func survivorsOfAParentHoldTheMemoryAlone() {
        var tree = Self.tree(.unknown)
        tree.note([(0, Self.reading(50)), (1, Self.reading(50))], at: 3)
        tree.end(100, at: 4)
        tree.note([(1, Self.reading(60))], at: 5)
        #expect(tree.maximum.resident == .mebibytes(60))
    }

    @Test func aMemoryIsHandedOnMoreThanOnce() {
        var tree = Self.tree(.parents)
        tree.end(100, at: 3)
        tree.appear(400, ThreadIdentity(process: 400, parent: 200), memory: .parents, at: 4)
        tree.note([(1, Self.reading(60)), (2, Self.reading(60))], at: 5)
        tree.end(200, at: 6)
        tree.note([(2, Self.reading(70))], at: 7)
        #expect(tree.maximum.resident == .mebibytes(70))
    }

    @Test func aDoubtIsInTheErrorBound() {
        let start = TreeMaximum(
            resident: .mebibytes(50), anonymous: .mebibytes(40), timeNanoseconds: 2, processes: 2)
        var trace = CommandTrace(
            method: .exitStops, exitStatus: 0, startNanoseconds: 1, endNanoseconds: 3, cpuNanoseconds: 1,
            processes: Self.tree(.own).traces(end: 3), treeMaximum: start)
        let certain = trace.peak.errorBound
        trace.undecided = .mebibytes(7)
        #expect(trace.peak.errorBound == certain + .mebibytes(7))
    }
}
