// SPDX-License-Identifier: Apache-2.0

import Texts

/// The top holders of a profile: a row for each own frame, with the calls from there to the allocation.
package struct HolderTable: Hashable, Sendable {
    /// The largest rows, the other stacks in one row, residues, the unattributed rest, and the kernel's figure.
    package let rows: [Row]
    /// A sentence each.
    package let remarks: [String]
    /// A sentence each.
    package let warnings: [String]

    /// The width of names, which stand behind two columns of figures.
    private static let width = Prose.width - 20
    /// The number of rows of residues, since a process maps dozens of libraries.
    private static let residueLimit = 6
    /// The share of the kernel's figure below which rows are summed, as 1 ÷ this: they explain nothing.
    private static let smallestShare = 1000

    package struct Row: Hashable, Sendable {
        /// Resident bytes, less those at the mark.
        package let bytes: Int
        /// The share of the kernel's figure, or `nil` if that is not positive.
        package let share: Double?
        package let what: String
        /// The functions from the allocation to there, abbreviated; `nil` if there are none in between.
        package let chain: String?
    }

    package init(_ profile: HolderProfile, limit: Int = 10) {
        let groups = HolderGroup.groups(of: profile)
        let peak = profile.explainedPeak
        func row(_ bytes: Int, _ what: String, chain: String? = nil) -> Row {
            Row(bytes: bytes, share: peak > 0 ? Double(bytes) / Double(peak) : nil, what: what, chain: chain)
        }
        let isLarge = { (bytes: Int) in bytes.magnitude >= max(0, peak) / Self.smallestShare }
        let large = groups.filter { isLarge($0.bytes) }
        var rows = large.prefix(limit).map { row($0.bytes, $0.what, chain: $0.chain) }
        let rest = large.dropFirst(limit) + groups.filter { !isLarge($0.bytes) }
        if !rest.isEmpty {
            let count = rest.reduce(0) { $0 + $1.stackCount }
            rows.append(row(rest.reduce(0) { $0 + $1.bytes }, "other stacks (\(count))"))
        }
        let residues = profile.residues.filter { isLarge($0.bytes) }
        let shown = residues.prefix(Self.residueLimit)
        rows += shown.map { row($0.bytes, $0.kind.words + ($0.name.map { " (\($0))" } ?? "")) }
        let small = residues.dropFirst(Self.residueLimit) + profile.residues.filter { !isLarge($0.bytes) }
        if !small.isEmpty {
            rows.append(row(small.reduce(0) { $0 + $1.bytes }, "other files, data and the like (\(small.count))"))
        }
        rows.append(row(profile.unattributed, "unattributed"))
        rows.append(row(peak, "the kernel's figure"))
        self.rows = rows
        remarks = ProfileRemarks.remarks(on: profile)
        warnings = ProfileRemarks.warnings(on: profile)
    }

    /// The largest holder at the peak, in one clause without a full stop; `nil` without growth.
    package var answer: String? {
        guard let first = rows.first, let peak = rows.last, peak.bytes > 0, rows.count > 2 else { return nil }
        return "\(first.what) holds \(SizeText.text(first.bytes)) of \(SizeText.text(peak.bytes)) at the peak"
    }

    package var plain: String {
        var table = TextTable(figuresThenWords: ["held", "share", "by"])
        for row in rows {
            let lines = lines(of: row.what, width: Self.width)
            table.rows.append(figures(row) + [lines[0]])
            let chain = row.chain.map { self.lines(of: $0, width: Self.width - 2) } ?? []
            for line in lines.dropFirst() + chain { table.rows.append(["", "", "  " + line]) }
        }
        return table.plain + sentences.map { "\n" + Prose.wrapped(SafeText.forTerminal($0)) + "\n" }.joined()
    }

    package var markdown: String {
        var table = TextTable(figuresThenWords: ["held", "share", "by"])
        for row in rows {
            let chain = row.chain.map { "<br>" + SafeText.forMarkdown($0) } ?? ""
            table.rows.append(figures(row) + [SafeText.forMarkdown(row.what) + chain])
        }
        return table.markdown + sentences.map { "\n" + SafeText.forMarkdown($0) + "\n" }.joined()
    }

    private func lines(of text: String, width: Int) -> [String] {
        Prose.wrapped(SafeText.forTerminal(text), width: width).split(separator: "\n").map(String.init)
    }

    private var sentences: [String] { warnings.map { "Warning: " + $0 } + remarks }

    private func figures(_ row: Row) -> [String] {
        [
            SizeText.text(row.bytes),
            row.share.map { ByteText.fixed($0 * 100, places: 1) + " %" } ?? "–",
        ]
    }
}
