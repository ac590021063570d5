// SPDX-License-Identifier: Apache-2.0

/// What whoever draws or compares a profile relies on, and an edited document may not keep.
extension HolderProfile {
    /// Whether this version knows the document, each stack has its frames, and no sum of its sizes can overflow.
    package var isWellFormed: Bool {
        version == Self.currentVersion && holders.allSatisfy { $0.stack.allSatisfy(frames.indices.contains) }
            // Beyond this a sum could overflow, and JSON would not hold it to the byte.
            && sumOfMagnitudes < 0x1p53
            // Formats keep lines in 32 bits.
            && frames.allSatisfy { (0...Int(Int32.max)).contains($0.line ?? 0) }
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
