// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

@Suite("Rows of a profile")
struct HolderProfileTests {
    @Test("and what is in none of them sum to the kernel's figure", arguments: [100, 60, 40])
    func rowsAndRemainderAreTheWhole(rows: Int) {
        let profile = Self.profile(peak: 100, held: rows - 10, residue: 10)
        #expect(profile.unattributed == 100 - rows)
    }

    @Test("say how much call stacks hold, not how much is in rows")
    func stackShare() throws {
        // What the allocator keeps is what stacks leave: with it all is in rows, however little is known.
        let profile = Self.profile(peak: 100, held: 30, residue: 70)
        #expect(profile.unattributed == 0)
        #expect(profile.stackShare == 0.3)
        #expect(try #require(ProfileRemarks.headline(of: profile)).contains("30.0 %"))
        #expect(profile.json.contains("\"stackShare\" : 0.3"))
    }

    @Test("that were freed are told apart in the share of call stacks")
    func freedShare() throws {
        var profile = Self.profile(peak: 100, held: 60, residue: 0)
        profile.holders.append(Holder(stack: [0], bytes: 20, blockCount: 1, state: .freed))
        #expect(profile.stackShare == 0.8)
        #expect(profile.freedShare == 0.2)
        let headline = try #require(ProfileRemarks.headline(of: profile))
        #expect(headline.contains("80.0 %") && headline.contains("20.0 %"))
    }

    @Test("are doubtful where the remainder is the largest of them, or less than nothing")
    func remainders() {
        func warnings(held: Int, residue: Int) -> Int {
            ProfileRemarks.warnings(
                on: Self.profile(peak: 100 << 20, held: held << 20, residue: residue << 20)
            ).count
        }
        #expect(warnings(held: 90, residue: 10) == 0)
        #expect(warnings(held: 49, residue: 51) == 1)
        #expect(warnings(held: 120, residue: -20) == 1)
        #expect(warnings(held: 40, residue: 0) == 1)
        #expect(warnings(held: 110, residue: 0) == 1)
    }

    @Test("explain nothing where nothing grew")
    func noGrowthHasNoShare() {
        #expect(Self.profile(peak: 0, held: 0, residue: 0).stackShare == nil)
    }

    static func profile(peak: Int, held: Int, residue: Int) -> HolderProfile {
        HolderProfile(
            subject: "case", allocator: "glibc", explainedPeak: peak,
            frames: [HolderFrame(function: "f()", module: "program", file: "f.swift", line: 3)],
            holders: [Holder(stack: [0], bytes: held, blockCount: 1)], residues: [Residue(.allocator, bytes: residue)],
            recorder: RecorderAccount(
                ownBytes: 0, allocationCount: 1, stackCount: 1, captureCount: 1, lostCount: 0, nanoseconds: 0))
    }
}
