// SPDX-License-Identifier: Apache-2.0

/// What whoever draws or compares a profile relies on, and an edited document may not keep.
extension HolderProfile {
    /// Whether this version knows the document, each stack has its frames, and no sum of its sizes can overflow.
    package var isWellFormed: Bool { version == Self.currentVersion && flaw == nil }

    /// What is wrong in a document of this version, in words; `nil` where nothing is.
    package var flaw: String? {
        for (place, holder) in holders.enumerated() where !holder.stack.allSatisfy(frames.indices.contains) {
            return "stack \(place + 1) names a frame that is none of its \(frames.count)"
        }
        // Beyond this a sum could overflow, and JSON would not hold it to the byte.
        guard sumOfMagnitudes < 0x1p53 else { return "its sizes are larger than any machine" }
        // Formats keep lines in 32 bits.
        guard frames.allSatisfy({ (0...Int(Int32.max)).contains($0.line ?? 0) }) else {
            return "a frame has a line that no file has"
        }
        return nil
    }

    /// All sizes, counts and times without their signs: whatever is added up, in any order, stays below it.
    private var sumOfMagnitudes: Double {
        let whole = [
            explainedPeak, plainPeak ?? 0, recorder.ownBytes, recorder.allocationCount, recorder.stackCount,
            recorder.captureCount, recorder.lostCount, recorder.nanoseconds,
        ]
        let rows = holders.flatMap { [$0.bytes, $0.blockCount] } + residues.map(\.bytes)
        return (whole + rows).reduce(0) { $0 + Double($1.magnitude) }
    }
}
