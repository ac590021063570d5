// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import Testing

/// Tests that are red in every way in which a limit can be; they run in a process that ``FixtureRun`` starts.
@Suite(.peakMemory(under: .mebibytes(4)), .enabled(if: FixtureRun.isFixture)) struct RedFixture {
    struct Refused: Error {}

    @Test func aSuitesLimit() { #expect(Planted.sum(ofMebibytes: 10) > 0) }

    @Test(.peakMemory(under: "1.2 * size + 4 MiB", size: .mebibytes(10))) func aFormula() {
        #expect(Planted.sum(ofMebibytes: 50) > 0)
    }

    @Test(arguments: [1, 30, 2]) func oneCaseOfThree(mebibytes: Int) {
        #expect(Planted.sum(ofMebibytes: mebibytes) > 0)
    }

    @Test func anIssue() { #expect(1 + 1 == 3, "of its own") }

    @Test func anError() throws { throw Refused() }

    @Test func aCrash() { fatalError("the last words") }

    @Test func anExit() { exit(7) }

    @Test(arguments: [UUID()]) func anArgumentThatDiffers(identifier: UUID) { #expect(!identifier.uuidString.isEmpty) }

    @Test(.peakMemory(under: "1.2 * sise")) func aFormulaWithoutMeaning() {}

    @Test(.leakLimit(bytesPerRepetition: 16)) func aLeak() { Planted.leak(bytes: 64) }

    @Test(.leakLimit(bytesPerRepetition: 16)) func aLateLeak() {
        // 50 runs to warm up, and of the 200 that are read the last 50 leak.
        if Planted.countRun() > 200 { Planted.leak(bytes: 1000) }
    }

    @Test(.peakMemory(under: .mebibytes(4), timeLimit: .seconds(3))) func aHang() {
        let bytes = [UInt8](repeating: 0xA5, count: 30 << 20)
        while bytes[Int.random(in: 0..<bytes.count)] == 0xA5 { usleep(10_000) }
    }

    @Test(.peakMemory(under: .mebibytes(4), timeLimit: .zero)) func noTimeAtAll() {}

    @Test(.leakLimit(bytesPerRepetition: 16, repetitions: 3)) func tooFewRepetitions() {}

    @Suite struct `names (with) [signs]*` {
        @Test func `über + "quoted" $ ☂`() { #expect(Planted.sum(ofMebibytes: 10) > 0) }
    }
}

extension RedFixture {
    /// Green among the red: in an extension, with a known issue, within its own limit.
    @Test(.peakMemory(under: .mebibytes(12))) func aGreenOne() {
        withKnownIssue { Issue.record("known") }
        print("printed in a process of its own")
        #expect(Planted.sum(ofMebibytes: 10) > 0)
    }
}
