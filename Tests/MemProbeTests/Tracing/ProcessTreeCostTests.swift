// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import TestSupport
import Testing

/// What the bookkeeping costs for each of many processes that have come and gone.
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
            tree.note(
                tree.living.map { ($0, ResidentReading(resident: .mebibytes(1), shared: .zero)) }, at: index)
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
