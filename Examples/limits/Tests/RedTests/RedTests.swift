// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import Memory
import Synchronization
import Testing

@Test(.peakMemory(under: .mebibytes(24))) func fiftyMebibytesDoNotFit() {
    #expect(HeldMemory(mebibytes: 50).checksum > 0)
}

@Suite(.peakMemory(under: .mebibytes(4))) struct Defaults {
    @Test func theSuitesLimitHolds() {
        #expect(HeldMemory(mebibytes: 10).checksum > 0)
    }

    @Test(arguments: [1, 30, 2]) func oneCaseIsTooLarge(mebibytes: Int) {
        #expect(HeldMemory(mebibytes: mebibytes).checksum > 0)
    }
}

@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func aLeak() {
    leak(bytes: 64)
}

private let runs = Atomic(0)

/// It begins with the 150th of 200 repetitions, 50 more have come before them to warm up.
@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func aLateLeak() {
    if runs.wrappingAdd(1, ordering: .relaxed).newValue > 200 { leak(bytes: 1000) }
}

@Test(.peakMemory(under: .mebibytes(4), timeLimit: .seconds(3))) func aHang() {
    let held = HeldMemory(mebibytes: 30)
    while held.checksum > 0 { usleep(10_000) }
}

@Test(.peakMemory(under: .mebibytes(4))) func anIssueOfItsOwn() {
    #expect(1 + 1 == 3, "carried over")
}

private struct Refused: Error {}

@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 50)) func anErrorOfItsOwn() throws {
    throw Refused()
}

@Test(.peakMemory(under: .mebibytes(4))) func aCrash() {
    print("before the crash")
    fatalError("the last words")
}

@Test(.peakMemory(under: .mebibytes(4))) func anExit() {
    exit(7)
}

@Test(.peakMemory(under: .mebibytes(4)), arguments: [UUID()]) func anArgumentThatDiffers(identifier: UUID) {
    #expect(!identifier.uuidString.isEmpty)
}

@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 3)) func tooFewRepetitions() {}

@Test(.peakMemory(under: "1.2 * size + 4 MiB", size: .mebibytes(10))) func aFormulaThatIsPassed() {
    #expect(HeldMemory(mebibytes: 18).checksum > 0)
}

@Test(.peakMemory(under: "1.2 * sise", size: .mebibytes(10))) func aFormulaWithoutMeaning() {}
