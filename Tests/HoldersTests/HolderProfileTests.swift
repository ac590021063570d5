// SPDX-License-Identifier: Apache-2.0

import Holders
import Testing

@Suite("Rows of a profile")
struct HolderProfileTests {
    @Test("and what is in none of them sum to the kernel's figure", arguments: [100, 60, 40])
    func rowsAndRemainderAreTheWhole(rows: Int) {
        let profile = Self.profile(peak: 100, held: rows - 10, residue: 10)
        #expect(profile.unattributed == 100 - rows)
        #expect(profile.explainedShare == Double(rows) / 100)
    }

    @Test("that are too large lessen the explained share")
    func estimatesMayBeTooLarge() {
        let profile = Self.profile(peak: 100, held: 105, residue: 0)
        #expect(profile.unattributed == -5)
        #expect(profile.explainedShare == 0.95)
    }

    @Test("explain nothing where nothing grew")
    func noGrowthHasNoShare() {
        #expect(Self.profile(peak: 0, held: 0, residue: 0).explainedShare == nil)
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
