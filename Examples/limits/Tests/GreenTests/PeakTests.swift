// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbeTesting
import Memory
import Testing

@Test(.peakMemory(under: .mebibytes(11))) func tenMebibytesFitIntoEleven() {
    #expect(HeldMemory(mebibytes: 10).checksum > 0)
}

@Test(.peakMemory(under: "1.2 * size + 4 MiB", size: .mebibytes(10))) func aFormulaOfASize() {
    #expect(HeldMemory(mebibytes: 14).checksum > 0)
}

/// The limit of a suite holds for each test in it, and a test's own one wins.
@Suite(.peakMemory(under: .mebibytes(4))) struct Downloads {
    @Test func aSmallOne() {
        #expect(HeldMemory(mebibytes: 2).checksum > 0)
    }

    @Test(.peakMemory(under: .mebibytes(52))) func aLargeOneWithALimitOfItsOwn() {
        #expect(HeldMemory(mebibytes: 50).checksum > 0)
    }

    /// Each case is measured in a process of its own: a small one does not see a large one.
    @Test(.peakMemory(under: .mebibytes(21)), arguments: [1, 20, 1, 2]) func everyCaseForItself(mebibytes: Int) {
        #expect(HeldMemory(mebibytes: mebibytes).checksum > 0)
    }

    /// Sets and dictionaries come in another order in each process.
    @Test(arguments: Set([0, 1, 2]), ["a": Set(["x", "y", "z"]), "b": Set(["x"])])
    func casesAreFoundAgain(mebibytes: Int, entry: (key: String, value: Set<String>)) {
        #expect(HeldMemory(mebibytes: mebibytes).checksum >= 0)
        #expect(["a", "b"].contains(entry.key))
    }

    @Suite struct `names with spaces, (brackets) and ünïcode` {
        @Test func `a name [like] this. one* is "found" $again^ ☂`() {
            #expect(HeldMemory(mebibytes: 1).checksum > 0)
        }
    }
}

extension Downloads.`names with spaces, (brackets) and ünïcode` {
    @Test func inAnExtension() {
        #expect(HeldMemory(mebibytes: 1).checksum > 0)
    }
}

/// The same name as a test of another file.
@Test(.peakMemory(under: .mebibytes(3))) private func sameName() {
    #expect(HeldMemory(mebibytes: 2).checksum > 0)
}

/// A known issue is none, in the child as here.
@Test(.peakMemory(under: .mebibytes(2))) func knownIssuesStayKnown() {
    withKnownIssue { Issue.record("known") }
    print("printed in a process of its own")
    Attachment.record("attached in a process of its own", named: "attached.txt")
}

/// Processes that a test starts are not children of the limit.
@Test(.peakMemory(under: .mebibytes(8)), .timeLimit(.minutes(1))) func testsMayStartProcesses() async {
    await #expect(processExitsWith: .failure) { exit(3) }
}

/// The plain spelling, where a trait does not fit.
@Test func anExitTestMeasuresItself() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        try await PeakReport.emit {
            print("no line break", terminator: "")
            #expect(HeldMemory(mebibytes: 10).checksum > 0)
        }
    }
    let growth = try PeakReport(result).growth
    #expect(growth > .mebibytes(9) && growth < .mebibytes(11))
}
