// SPDX-License-Identifier: Apache-2.0

import Texts

package struct HolderDifferenceTable: Hashable, Sendable {
    private let difference: HolderDifference
    private let limit: Int

    package init(_ difference: HolderDifference, limit: Int = 10) {
        self.difference = difference
        self.limit = limit
    }

    package var plain: String {
        table { SafeText.forTerminal($0) }.plain
    }

    package var markdown: String {
        table { SafeText.forMarkdown($0) }.markdown
    }

    private func table(_ safe: (String) -> String) -> TextTable {
        var table = TextTable(figuresThenWords: ["difference", "where"])
        for finding in difference.findings.prefix(limit) {
            table.rows.append([SignedBytes.text(finding.bytes), safe(words(of: finding))])
        }
        let rest = difference.findings.dropFirst(limit)
        if !rest.isEmpty {
            table.rows.append([
                SignedBytes.text(rest.reduce(0) { $0 + $1.bytes }), "other findings (\(rest.count))",
            ])
        }
        let small = ByteText.mebibytes(Double(difference.limit))
        table.rows.append([SignedBytes.text(difference.other), "other, each below \(small)"])
        table.rows.append([SignedBytes.text(difference.total), "the kernel's figure"])
        return table
    }

    /// Returns the location of a finding, and the calls from there to the allocation.
    private func words(of finding: HolderDifference.Finding) -> String {
        guard let frame = finding.frame, let place = finding.stack.firstIndex(of: frame) else {
            return finding.place
        }
        let chain = CallChain.text(of: finding.stack[..<place].map { FunctionName($0.function).short })
        let count = finding.stackCount > 1 ? ["\(finding.stackCount) stacks"] : []
        let details = (count + (chain.map { [$0] } ?? [])).joined(separator: ", ")
        return finding.place + (details.isEmpty ? "" : ": " + details)
    }
}
