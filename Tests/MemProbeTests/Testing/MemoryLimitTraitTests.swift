// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import TestSupport
import Testing

/// What a limit does to tests that keep it, and to those that do not.
@Suite(.ownThreads) struct MemoryLimitTraitTests {
    @Test(.peakMemory(under: .mebibytes(11)), arguments: [10, 1]) func aPeakWithinItsLimitIsGreen(mebibytes: Int) {
        #expect(Planted.sum(ofMebibytes: mebibytes) > 0)
    }

    @Test(.leakLimit(bytesPerRepetition: 16)) func whatIsFreedIsNoLeak() async {
        await Task.yield()
        #expect([UInt8](repeating: 1, count: 64).reduce(0) { $0 + Int($1) } == 64)
    }

    @Test(.leakLimit(bytesPerRepetition: 100)) func aLeakWithinItsLimitIsGreen() { Planted.leak(bytes: 64) }

    @Test(.peakMemory(under: .mebibytes(4), timeLimit: .seconds(120))) func aTestMayTakeLonger() {}

    /// A cache that is filled in the middle, once, and a table that doubles.
    @Test(.leakLimit(bytesPerRepetition: 16)) func stepsAreNoLeak() {
        let runs = Planted.countRun()
        if runs == 170 { Planted.leak(bytes: 1 << 20) }
        if runs.nonzeroBitCount == 1 { Planted.leak(bytes: 48 * runs) }
    }

    /// As large as what libdispatch keeps of a thread: it rises in all 200 repetitions, and not in those that confirm.
    @Test(.leakLimit(bytesPerRepetition: 16)) func aPoolThatFillsIsNoLeak() {
        if Planted.countRun() <= 1024 { Planted.leak(bytes: 64) }
    }

    /// One run for all: each limit takes processes.
    @Test func everyRedTestSaysWhy() throws {
        let run = try FixtureRun()
        let expected = [
            "aSuitesLimit()": [
                "limit 4.00 MiB", "3 fresh processes", "Measured in a", "Holders, from one more process",
            ],
            "aFormula()": ["limit 16.00 MiB (1.2 * size + 4 MiB, size 10MiB)"],
            "oneCaseOfThree(mebibytes:)": ["limit 4.00 MiB"],
            "anIssue()": ["Expectation failed: (1 + 1 → 2) == 3", "of its own"],
            "anError()": ["Caught error: Refused()"],
            "aCrash()": ["ended by a signal", "last words: Fatal error: the last words"],
            "anExit()": ["left with status 7"],
            "anArgumentThatDiffers(identifier:)": ["gave no answer", "arguments"],
            "aFormulaWithoutMeaning()": ["column 7: expected a number, size"],
            "aLeak()": ["bytes allocated, limit 16", "fresh processes"],
            "aLateLeak()": ["bytes allocated from about repetition 1", "on, limit 16"],
            "aHang()": ["not ended after 3 s", "it held ", "its peak was", "timeLimit: of the trait"],
            "noTimeAtAll()": ["invalid timeLimit"],
            "tooFewRepetitions()": ["at least 20"],
            "`names (with) [signs]*`/`über + \"quoted\" $ ☂`()": ["limit 4.00 MiB"],
        ]
        #expect(Set(run.issues.keys) == Set(expected.keys))
        for (test, words) in expected {
            let said = run.issues[test] ?? []
            #expect(said.count == 1, "one issue of \(test), and of one case alone")
            for word in words { #expect(said.first?.contains(word) == true, "\(test) says '\(word)': \(said)") }
        }
        #expect(run.output.contains("printed in a process of its own"))
    }
}
