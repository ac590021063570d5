// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

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

    /// The fields from the state to the number of threads.
    static let fields = "S 1 1 1 0 -1 0 10 11 12 13 14 15 16 17 20 0 3 0 99 4096 7"

    @Test(arguments: ["a b", ") R 9 9 9", "((", "))", "", "x) S (", "with 1 2 3 numbers"])
    func theNameMayHoldAnything(name: String) throws {
        let stat = try StatFile(parsing: "7 (\(name)) \(Self.fields)\n")
        #expect(stat.minorFaults == 10 && stat.majorFaults == 12 && stat.cpuTicks == 29 && stat.threads == 3)
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
