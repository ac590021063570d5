// SPDX-License-Identifier: Apache-2.0

import SupportText

/// What is to be known of a profile beside its rows.
package enum ProfileRemarks {
    /// How far the peak with the recorder may be from the one without before it is doubtful.
    private static let tolerance = 0.05
    /// What two trials of the same program differ by in any case, in bytes.
    private static let floor = 256 << 10

    /// What has been explained, and what that cost.
    static func remarks(on profile: HolderProfile) -> [String] {
        let recorder = profile.recorder
        let share = profile.explainedShare.map { ByteText.fixed($0 * 100, places: 1) + " % of the figure is in rows." }
        let cost =
            "The recorder saw \(recorder.allocationCount) allocations, walked \(recorder.stackCount) stacks and looked "
            + "at all blocks \(recorder.captureCount) times in \(ProfileFacts.seconds(recorder.nanoseconds)); "
            + "its own \(SizeText.text(recorder.ownBytes)) are in no row."
        return [share ?? "Nothing has grown, so that there is nothing to explain.", cost]
    }

    /// What makes it doubtful, a sentence each.
    package static func warnings(on profile: HolderProfile) -> [String] {
        var warnings: [String] = []
        if let plain = profile.plainPeak, isApart(plain, profile.explainedPeak) {
            warnings.append(
                "the process that is explained reached \(SizeText.precise(profile.explainedPeak)), and \(SizeText.precise(plain)) "
                    + "without the recorder: they are more than 5 % apart, so the rows may not tell of the plain one.")
        }
        if profile.recorder.lostCount > 0 {
            warnings.append(
                "\(profile.recorder.lostCount) blocks did not fit into the recorder's tables; what they hold is "
                    + "among what the allocator keeps.")
        }
        return warnings
    }

    private static func isApart(_ plain: Int, _ explained: Int) -> Bool {
        Double((plain - explained).magnitude) > max(Double(floor), tolerance * Double(plain.magnitude))
    }
}
