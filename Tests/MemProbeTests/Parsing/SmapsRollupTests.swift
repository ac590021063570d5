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

struct ResidentPartsTests {
    private func rollup(
        resident: Int, clean: Int, dirty: Int, anonymous: String = "Anonymous: 0 kB\n"
    ) throws -> SmapsRollup {
        try SmapsRollup(
            parsing: "Rss: \(resident) kB\nPss: 1 kB\nPrivate_Clean: \(clean) kB\nPrivate_Dirty: \(dirty) kB\n"
                + anonymous)
    }

    /// Private, less what no file backs; shared is the rest.
    @Test(arguments: [(Recording.linux5x10, 844, 88, 16), (.linux6x18, 1684, 112, 116)])
    func partsAreReadOfRecordings(recording: Recording, resident: Int, anonymous: Int, privateFile: Int) throws {
        let rollup = try SmapsRollup(parsing: try #require(recording.smapsRollup))
        let parts = try #require(try ResidentParts(rollup))
        #expect(parts.resident == .kibibytes(resident))
        #expect(parts.anonymous == .kibibytes(anonymous))
        #expect(parts.privateFile == .kibibytes(privateFile))
        #expect(parts.sharedFile == .kibibytes(resident - anonymous - privateFile))
    }

    @Test(arguments: [Recording.linux4x18, .linux5x10, .linux6x1, .linux6x18])
    func partsAddUpOnEveryKernel(recording: Recording) throws {
        let rollup = try SmapsRollup(parsing: try #require(recording.smapsRollup))
        let parts = try #require(try ResidentParts(rollup))
        #expect(parts.anonymous + parts.privateFile + parts.sharedFile == parts.resident)
        #expect([parts.anonymous, parts.privateFile, parts.sharedFile].allSatisfy { $0 >= .zero })
    }

    /// After a fork anonymous pages are shared: none of the parts falls below zero for it.
    @Test func pagesThatAForkSharesTakeNothingAway() throws {
        let text = try rollup(resident: 100, clean: 10, dirty: 5, anonymous: "Anonymous: 40 kB\n")
        let parts = try #require(try ResidentParts(text))
        #expect(parts.privateFile == .zero)
        #expect(parts.sharedFile == .kibibytes(60))
    }

    @Test func aKernelThatLeavesAnonymousOutGivesNone() throws {
        #expect(try ResidentParts(rollup(resident: 100, clean: 10, dirty: 5, anonymous: "")) == nil)
    }

    @Test func aPartLargerThanTheWholeIsNotUnderstood() throws {
        let anonymous = try rollup(resident: 100, clean: 10, dirty: 5, anonymous: "Anonymous: 101 kB\n")
        #expect(throws: MemProbeError(.malformed, source: "Anonymous")) { try ResidentParts(anonymous) }
        let unique = try rollup(resident: 100, clean: 96, dirty: 5)
        #expect(throws: MemProbeError(.malformed, source: "Private_Dirty")) { try ResidentParts(unique) }
    }
}
