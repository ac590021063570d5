// SPDX-License-Identifier: Apache-2.0

/// Invariants that drawing and comparing rely on, and that an edited document may break.
extension HolderProfile {
    /// True if the version is known, every stack's frames exist, and no sum of sizes can overflow.
    package var isWellFormed: Bool {
        version == Self.currentVersion && holders.allSatisfy { $0.stack.allSatisfy(frames.indices.contains) }
            // Larger sums could overflow and are not exact in JSON.
            && sumOfMagnitudes < 0x1p53
            // Formats store lines in 32 bits.
            && frames.allSatisfy { (0...Int(Int32.max)).contains($0.line ?? 0) }
    }

    /// The sum of the magnitudes of all sizes, counts and times: an upper bound of any partial sum.
    private var sumOfMagnitudes: Double {
        let whole = [
            explainedPeak, plainPeak ?? 0, recorder.ownBytes, recorder.allocationCount, recorder.stackCount,
            recorder.captureCount, recorder.lostCount, recorder.nanoseconds,
        ]
        let rows = holders.flatMap { [$0.bytes, $0.blockCount] } + residues.map(\.bytes)
        return (whole + rows).reduce(0) { $0 + Double($1.magnitude) }
    }
}
