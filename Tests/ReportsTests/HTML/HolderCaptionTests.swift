// SPDX-License-Identifier: Apache-2.0

import Profiles
import Reports
import Runs
import Testing

/// What stands below the icicles of who holds the peak, and which profiles are drawn at all.
struct HolderCaptionTests {
    private func page(_ profile: HolderProfile) throws -> String {
        try SamplePages.withRun { run, folder in
            let entry = ExplanationRecord.Entry(cell: run.plan.cases[1].identifier, profile: profile)
            try RunStore.write(ExplanationRecord(entries: [entry]), to: folder)
            return try Formats.runPage.text(of: Report(run, in: folder))
        }
    }

    @Test func aCaptionOfAPlainProfileHasNoWarning() throws {
        let text = try page(SamplePages.profile(named: "case"))
        #expect(text.contains("case on glibc: 32.00 MiB by the kernel"))
        #expect(!text.contains("Warning: "))
        #expect(!text.contains("Not drawn: "))
    }

    @Test func aCaptionWarnsOfWhatIsDoubtful() throws {
        var profile = SamplePages.profile(named: "case")
        profile.plainPeak = 20 << 20
        profile.recorder.lostCount = 7
        let text = try page(profile)
        #expect(text.contains("Warning: the process that is explained reached 32.0 MiB, and 20.0 MiB without"))
        #expect(text.contains("Warning: 7 blocks did not fit"))
    }

    @Test func aCaptionSaysWhatHasNoWidth() throws {
        var profile = SamplePages.profile(named: "case")
        profile.holders.append(Holder(stack: [1, 2], bytes: -1 << 20, blockCount: 1))
        profile.residues.append(Residue(.mappings, bytes: -(1 << 18)))
        #expect(
            try page(profile).contains(
                "Not drawn: less 1.2 MiB that was there at the mark and has been given back."))
        profile.explainedPeak = 24 << 20
        #expect(
            try page(profile).contains(
                "given back, and less 1.8 MiB by which rows that are estimates are too large."))
    }

    @Test(arguments: [Int.min, Int.max])
    func aProfileThatNoMachineHasIsRefused(value: Int) throws {
        let numbers: [WritableKeyPath<HolderProfile, Int>] = [
            \.explainedPeak, \.residues[0].bytes, \.holders[0].bytes,
        ]
        for number in numbers {
            var profile = SamplePages.profile(named: "case")
            profile[keyPath: number] = value
            #expect(throws: FetchBenchError.self) { try page(profile) }
        }
    }
}
