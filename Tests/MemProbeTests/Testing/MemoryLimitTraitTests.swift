// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

@Suite(.ownThreads) struct MemoryLimitTraitTests {
    @Test(.peakMemory(under: .mebibytes(11)), arguments: [10, 1]) func aPeakWithinItsLimitIsGreen(mebibytes: Int) {
        #expect(Planted.sum(ofMebibytes: mebibytes) > 0)
    }

    @Test(.leakLimit(bytesPerRepetition: 16)) func freedMemoryIsNotALeak() async {
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

struct LimitFormulaTests {
    @Test(arguments: [
        ("4 MiB", 4_194_304), ("1.2 * size + 4 MiB", 12_582_912 + 4_194_304), ("size / 2", 5_242_880),
        ("(size + 2 MiB) * 2 - 1KiB", 25_164_800), ("size - -size", 20_971_520), ("1e3 B", 1000),
        ("size * (size / size)", 10_485_760), ("1 gib - 1 GiB", 0),
    ])
    func aFormulaHasAValue(text: String, bytes: Int) throws {
        #expect(try LimitFormula.bytes(of: text, size: .mebibytes(10)) == ByteCount(bytes))
    }

    @Test(arguments: [
        ("", 1, "found the end"), ("12", 1, "pure number"), ("size +", 7, "found the end"),
        ("1 MB", 3, "unknown unit 'MB'"),
        ("sise", 1, "expected a number"), ("size * size", 6, "no meaning"), ("size + 4", 6, "unit missing"),
        ("2 / size", 3, "no meaning"), ("size / 0", 6, "division by zero"), ("(size", 6, "')'"),
        ("size size", 6, "operator"),
        ("0 B - size", 1, "not a valid limit"), ("1e300 * 1e300 * size", 1, "not a valid limit"),
        ("4 MiB <= size", 7, "operator"),
    ])
    func aMistakeHasAPlace(text: String, column: Int, words: String) {
        let fault = #expect(throws: LimitFormula.Fault.self) {
            _ = try LimitFormula.bytes(of: text, size: .mebibytes(10))
        }
        #expect(fault?.column == column)
        #expect(fault?.reason.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test func aSizeThatWasNotGivenIsMissed() {
        let fault = #expect(throws: LimitFormula.Fault.self) { _ = try LimitFormula.bytes(of: "2 * size", size: nil) }
        #expect(fault?.reason.contains("no size was given") == true)
    }

    @Test func nestingHasAnEnd() {
        let deep = String(repeating: "(", count: 100_000)
        #expect(throws: LimitFormula.Fault.self) { _ = try LimitFormula.bytes(of: deep, size: nil) }
    }
}

struct ArgumentTextTests {
    private struct Plain {
        var name: String
        var inner: Set<Int>
    }

    private final class Object {}

    @Test func theOrderOfASetDoesNotMatter() {
        var first = Set<Int>(minimumCapacity: 1)
        var second = Set<Int>(minimumCapacity: 512)
        for number in 0..<100 { first.insert(number) }
        for number in (0..<100).reversed() { second.insert(number) }
        #expect(Array(first) != Array(second), "they are in another order")
        #expect(ArgumentText.text(of: first) == ArgumentText.text(of: second))
        #expect(
            ArgumentText.text(of: Plain(name: "a", inner: first))
                == ArgumentText.text(of: Plain(name: "a", inner: second)))
    }

    @Test func differentValuesHaveDifferentTexts() {
        let values: [Any] = [
            1, 2, "a", "b", [1, 2], [2, 1], (1, "a"), Plain(name: "a", inner: []), Plain(name: "b", inner: []),
            Data([1]), Data([2]), Int?.some(7) as Any, ["a": 1], ["a": 2], Date(timeIntervalSince1970: 0),
        ]
        #expect(Set(values.map { ArgumentText.text(of: $0) }).count == values.count)
    }

    @Test func anObjectIsKnownByItsTypeNotByItsAddress() {
        #expect(ArgumentText.text(of: Object()) == ArgumentText.text(of: Object()))
        #expect(
            ArgumentText.text(of: Data(repeating: 1, count: 1000))
                == ArgumentText.text(of: Data(repeating: 1, count: 1000)))
    }
}
