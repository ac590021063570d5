// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Memory
import Synchronization
import Testing

@Suite(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) struct Repeated {
    @Test func freedMemoryIsNotALeak() async throws {
        await Task.yield()
        #expect(borrow(bytes: 64) > 0)
    }

    @Test(.leakLimit(bytesPerRepetition: 100, repetitions: 200)) func aLeakThatIsAllowed() {
        leak(bytes: 64)
    }

    /// Both kinds of limit at once.
    @Test(.peakMemory(under: .mebibytes(2))) func bothLimits() {
        #expect(borrow(bytes: 1 << 20) > 0)
    }

    /// A table that doubles now and then is no leak, nor is a step.
    @Test func aTableThatDoublesIsNoLeak() {
        let runs = Table.runs.wrappingAdd(1, ordering: .relaxed).newValue
        if runs.nonzeroBitCount == 1 { leak(bytes: 48 * runs) }
        if runs == 180 { leak(bytes: 1 << 20) }
    }

    /// A pool rises like a leak until it is full, as one of libdispatch does.
    @Test func aPoolThatFillsIsNoLeak() {
        if Pool.runs.wrappingAdd(1, ordering: .relaxed).newValue <= 1024 { leak(bytes: 64) }
    }

    /// Memory that is allocated once and kept does not count as a leak.
    @Test func aCacheThatFillsIsNoLeak() {
        #expect(Cache.shared.checksum > 0)
    }
}

private enum Table {
    static let runs = Atomic(0)
}

private enum Pool {
    static let runs = Atomic(0)
}

private enum Cache {
    static let shared = HeldMemory(mebibytes: 1)
}

@Test(.peakMemory(under: .mebibytes(5))) private func sameName() {
    #expect(HeldMemory(mebibytes: 4).checksum > 0)
}
