// SPDX-License-Identifier: Apache-2.0

import Texts

/// The difference between what two builds hold at their peaks, by call stack.
///
/// Stacks are matched by the names of functions and modules, because addresses, lines and inlining change from build to
/// build. Everything below a function that only one build calls is one finding, which names that function.
package struct HolderDifference: Codable, Hashable, Sendable {
    package let findings: [Finding]
    /// The sum of all smaller differences, in bytes.
    package let other: Int
    /// The head's peak less the base's, in bytes: the sum of findings and ``other``.
    package let total: Int
    /// The size of the smallest finding, in bytes.
    package let limit: Int

    package struct Finding: Codable, Hashable, Sendable {
        /// How much more the head holds there; negative if it holds less.
        package let bytes: Int
        /// The function to look at, or `nil` without a call stack.
        package let frame: HolderFrame?
        /// The stack that leads there, innermost first; of a loss the base's.
        package let stack: [HolderFrame]
        package let stackCount: Int
        /// The location: `decode(_:), Decoder.swift:41`, or `mapped files (libc.so.6)`.
        package let place: String
        /// The finding as text: `+16.0 MiB in decode(_:), Decoder.swift:41`.
        package let text: String

        init(bytes: Int, frame: HolderFrame?, stack: [HolderFrame], stackCount: Int, place: String) {
            (self.bytes, self.frame, self.stack) = (bytes, frame, stack)
            (self.stackCount, self.place) = (stackCount, place)
            text = ByteText.signedMebibytes(bytes) + (frame == nil ? ", " : " in ") + place
        }
    }

    private static let leastLimit = 64 << 10

    package init(base: HolderProfile, head: HolderProfile) {
        let larger = max(base.explainedPeak, head.explainedPeak)
        limit = max(Self.leastLimit, larger / 100)
        total = head.explainedPeak - base.explainedPeak
        let found = DivergenceSearch(base: ProfileRows(base), head: ProfileRows(head), limit: limit).findings
        findings = found.sorted { ($1.bytes.magnitude, $0.text) < ($0.bytes.magnitude, $1.text) }
        other = total - found.reduce(0) { $0 + $1.bytes }
    }

    /// Returns the largest finding with the sign of a growth or loss of the whole.
    ///
    /// One that is larger than the whole and is cancelled by another is returned only if there are no others.
    package func cause(ofGrowth isGrowth: Bool) -> Finding? {
        let found = findings.filter { ($0.bytes > 0) == isGrowth }
        return found.first { !isExchanged($0) } ?? found.first
    }

    private func isExchanged(_ finding: Finding) -> Bool {
        finding.bytes.magnitude > total.magnitude
            && findings.contains { ($0.bytes + finding.bytes).magnitude < limit.magnitude }
    }

    /// The difference in one line: the largest finding, the number of others and the total.
    package var headline: String {
        guard let first = findings.first else {
            return "no stack differs by \(ByteText.mebibytes(Double(limit))) or more; in all "
                + ByteText.signedMebibytes(total)
        }
        let rest = findings.count - 1
        return first.text + (rest == 0 ? "" : " (and \(rest) more; in all \(ByteText.signedMebibytes(total)))")
    }
}

package struct HolderDifferenceTable: Hashable, Sendable {
    private let difference: HolderDifference
    private let limit: Int

    package init(_ difference: HolderDifference, limit: Int = 10) {
        (self.difference, self.limit) = (difference, limit)
    }

    package var plain: String { table { SafeText.forTerminal($0) }.plain }

    package var markdown: String { table { SafeText.forMarkdown($0) }.markdown }

    private func table(_ safe: (String) -> String) -> TextTable {
        var table = TextTable(figuresThenWords: ["difference", "where"])
        for finding in difference.findings.prefix(limit) {
            table.rows.append([ByteText.signedMebibytes(finding.bytes), safe(words(of: finding))])
        }
        let rest = difference.findings.dropFirst(limit)
        if !rest.isEmpty {
            table.rows.append([
                ByteText.signedMebibytes(rest.reduce(0) { $0 + $1.bytes }), "other findings (\(rest.count))",
            ])
        }
        let small = ByteText.mebibytes(Double(difference.limit))
        table.rows.append([ByteText.signedMebibytes(difference.other), "other, each below \(small)"])
        table.rows.append([ByteText.signedMebibytes(difference.total), "the kernel's figure"])
        return table
    }

    /// Returns the location of a finding, and the calls from there to the allocation.
    private func words(of finding: HolderDifference.Finding) -> String {
        guard let frame = finding.frame, let place = finding.stack.firstIndex(of: frame) else {
            return finding.place
        }
        let chain = finding.stack[..<place].map { FunctionName($0.function).short }.callChain()
        let count = finding.stackCount > 1 ? ["\(finding.stackCount) stacks"] : []
        let details = (count + (chain.map { [$0] } ?? [])).joined(separator: ", ")
        return finding.place + (details.isEmpty ? "" : ": " + details)
    }
}
