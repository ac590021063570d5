// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct SmapsRollupTests {
    /// `Rss` and `Pss` leave the pages of a pool out.
    @Test func pagesOfAHugePagePoolAreAdded() throws {
        let rollup = try SmapsRollup(
            parsing: """
                Rss: 100 kB
                Pss: 50 kB
                Pss_Anon: 30 kB
                Pss_File: 15 kB
                Pss_Shmem: 5 kB
                Private_Clean: 10 kB
                Private_Dirty: 20 kB
                Anonymous: 40 kB
                Shared_Hugetlb: 2048 kB
                Private_Hugetlb: 4096 kB

                """)
        #expect(rollup.resident == .kibibytes(6244) && rollup.anonymous == .kibibytes(6184))
        #expect(rollup.unique == .kibibytes(4126))
        // How many share the others is not said.
        #expect(rollup.proportional == .kibibytes(4146) && rollup.proportionalParts?.anonymous == .kibibytes(4126))
    }

    @Test(arguments: [
        (Recording.linux4x18, 45188, 31240, 2044 + 27068), (.linux5x10, 844, 141, 16 + 88),
        (.linux6x1, 1_057_024, 1_024_511, 4612 + 1_017_600), (.linux6x18, 1684, 485, 116 + 112),
    ])
    func sumsAreReadOnEveryKernel(recording: Recording, resident: Int, proportional: Int, unique: Int) throws {
        let rollup = try SmapsRollup(parsing: try #require(recording.smapsRollup))
        #expect(rollup.resident == .kibibytes(resident))
        #expect(rollup.proportional == .kibibytes(proportional))
        #expect(rollup.unique == .kibibytes(unique))
    }

    @Test func partsOfPssAreNotPss() throws {
        let text = "Pss_Dirty: 1 kB\nPss: 2 kB\nPss_Anon: 3 kB\nRss: 4 kB\nPrivate_Clean: 5 kB\nPrivate_Dirty: 6 kB\n"
        #expect(try SmapsRollup(parsing: text).proportional == .kibibytes(2))
    }

    @Test(
        arguments: ["Rss", "Pss", "Private_Clean", "Private_Dirty"], ["", ": many kB", ": 5", ": 99999999999999999 kB"])
    func aFieldThatIsMissingOrMalformedIsNamed(field: String, value: String) {
        let fields = ["Rss", "Pss", "Private_Clean", "Private_Dirty"]
        let lines = fields.map { $0 == field ? "\($0)\(value)" : "\($0):   1 kB" }
        #expect(throws: MemProbeError(.malformed, source: field)) {
            try SmapsRollup(parsing: lines.joined(separator: "\n"))
        }
    }

    @Test func aSumThatOverflowsThrows() {
        let half = Int.max / 1024
        let text = "Rss: 1 kB\nPss: 1 kB\nPrivate_Clean: \(half) kB\nPrivate_Dirty: \(half) kB\n"
        #expect(throws: MemProbeError(.malformed, source: "Private_Dirty")) { try SmapsRollup(parsing: text) }
    }
}
