// SPDX-License-Identifier: Apache-2.0

import Texts

/// What one build holds at its peak that another does not, by call stack.
///
/// Stacks are matched by the names of functions and modules: addresses and lines move, and what is inlined changes, from
/// build to build. What is new below a function that only one of the two calls is one finding, and names that function.
package struct HolderDifference: Codable, Hashable, Sendable {
    /// The differences that count, the largest first.
    package let findings: [Finding]
    /// The sum of all differences that are too small to be findings, in bytes.
    package let other: Int
    /// How much larger the second peak is than the first, in bytes: the sum of findings and ``other``.
    package let total: Int
    /// What is smaller than this is no finding, in bytes.
    package let limit: Int

    /// A place where two builds differ.
    package struct Finding: Codable, Hashable, Sendable {
        /// How much more the second build holds there; negative where it holds less.
        package let bytes: Int
        /// The function to look at, or `nil` where no call stack holds it.
        package let frame: HolderFrame?
        /// The stack that leads there, the function that was called last first; of what has gone it is the first build's.
        package let stack: [HolderFrame]
        package let stackCount: Int
        /// Where it is, in words: `decode(_:), Decoder.swift:41`, or `mapped files (libc.so.6)`.
        package let place: String
        /// The finding in words: `+16.0 MiB in decode(_:), Decoder.swift:41`.
        package let text: String

        init(bytes: Int, frame: HolderFrame?, stack: [HolderFrame], stackCount: Int, place: String) {
            self.bytes = bytes
            self.frame = frame
            self.stack = stack
            self.stackCount = stackCount
            self.place = place
            text = SignedBytes.text(bytes) + (frame == nil ? ", " : " in ") + place
        }
    }

    /// The smallest limit, in bytes.
    private static let leastLimit = 64 << 10

    package init(base: HolderProfile, head: HolderProfile) {
        let larger = max(base.explainedPeak, head.explainedPeak)
        limit = max(Self.leastLimit, larger / 100)
        total = head.explainedPeak - base.explainedPeak
        let found = DivergenceSearch(base: ProfileRows(base), head: ProfileRows(head), limit: limit).findings
        findings = found.sorted { ($1.bytes.magnitude, $0.text) < ($0.bytes.magnitude, $1.text) }
        other = total - found.reduce(0) { $0 + $1.bytes }
    }

    /// What explains a growth, or a loss, of the whole best: the largest finding of that sign.
    ///
    /// One that is larger than the whole while another is its opposite has been exchanged for it, and only explains
    /// anything where nothing else does.
    package func cause(ofGrowth isGrowth: Bool) -> Finding? {
        let found = findings.filter { ($0.bytes > 0) == isGrowth }
        return found.first { !isExchanged($0) } ?? found.first
    }

    private func isExchanged(_ finding: Finding) -> Bool {
        finding.bytes.magnitude > total.magnitude
            && findings.contains { ($0.bytes + finding.bytes).magnitude < limit.magnitude }
    }

    /// The difference in one line: the largest finding, and how much else there is.
    package var headline: String {
        guard let first = findings.first else {
            return "no stack differs by \(ByteText.mebibytes(Double(limit))) or more; in all "
                + SignedBytes.text(total)
        }
        let rest = findings.count - 1
        return first.text + (rest == 0 ? "" : " (and \(rest) more; in all \(SignedBytes.text(total)))")
    }
}

/// Differences as people read them.
enum SignedBytes {
    /// Bytes in MiB with their sign: `+16.0 MiB`.
    static func text(_ bytes: Int) -> String {
        let text = ByteText.mebibytes(Double(bytes))
        return bytes > 0 ? "+" + text : text
    }
}
