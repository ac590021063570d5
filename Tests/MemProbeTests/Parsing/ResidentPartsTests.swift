// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct ResidentPartsTests {
    private func rollup(
        resident: Int, clean: Int, dirty: Int, anonymous: String = "Anonymous: 0 kB\n"
    ) throws -> SmapsRollup {
        try SmapsRollup(
            parsing: "Rss: \(resident) kB\nPss: 1 kB\nPrivate_Clean: \(clean) kB\nPrivate_Dirty: \(dirty) kB\n"
                + anonymous)
    }

    /// Private, less what no file backs; shared is the rest.
    @Test(arguments: [
        (Recording.linux5x10, 844, 88, 16), (.linux6x18, 1684, 112, 116),
    ])
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
