// SPDX-License-Identifier: Apache-2.0

import Texts

/// The top holders of a profile: a row for each own frame, with the calls from there to the allocation.
package struct HolderTable: Hashable, Sendable {
    /// The largest rows, the other stacks in one row, residues, the unattributed rest, and the kernel's figure.
    package let rows: [Row]
    package let remarks: [String]
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
        let groups = Group.groups(of: profile)
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

    /// Stacks that share a row of the table: the same own line, with the same calls from there to the allocation.
    struct Group {
        private(set) var bytes = 0
        private(set) var stackCount = 0
        let what: String
        /// The functions between it and the allocation.
        let chain: String?

        static func groups(of profile: HolderProfile) -> [Group] {
            var groups: [Key: Group] = [:]
            // Computed once per frame, because many stacks share few functions.
            let names = profile.frames.map { (short: FunctionName($0.function).short, place: $0.whereabouts) }
            for holder in profile.holders {
                let key = Key(holder, in: profile, names)
                groups[key, default: Group(what: key.what, chain: key.chain)].add(holder.bytes)
            }
            return groups.values.sorted { left, right in
                (right.bytes, left.what, left.chain ?? "") < (left.bytes, right.what, right.chain ?? "")
            }
        }

        private init(what: String, chain: String?) { (self.what, self.chain) = (what, chain) }

        private mutating func add(_ bytes: Int) {
            self.bytes += bytes
            stackCount += 1
        }

        private struct Key: Hashable {
            let what: String
            let chain: String?

            init(_ holder: Holder, in profile: HolderProfile, _ names: [(short: String, place: String)]) {
                let stack = holder.stack.map { profile.frames[$0] }
                let place = FunctionName.OwnFrame.bestPlace(in: stack[...])
                let name = place.map { names[holder.stack[$0]].place } ?? "no stack"
                what = name + (holder.state.words.map { " — " + $0 } ?? "")
                // Without an own function, the callers distinguish uses of the system.
                if let own = FunctionName.OwnFrame.place(in: stack[...]), own == stack.startIndex {
                    // If an own helper allocates, its callers explain it.
                    let callers = holder.stack[1...].filter { !profile.frames[$0].isSystem }.prefix(2)
                    chain = callers.map { names[$0].short }.callChain().map { "← " + $0 }
                } else if let own = FunctionName.OwnFrame.place(in: stack[...]) {
                    chain = holder.stack[..<own].map { names[$0].short }.callChain()
                } else {
                    let callers = place.map { holder.stack[($0 + 1)...].map { names[$0].short } } ?? []
                    chain = callers.callChain(outermost: 0).map { "← " + $0 }
                }
            }
        }
    }
}

extension [String] {
    private static var longestChain: Int { 8 }

    /// Returns the names of a call chain joined by arrows, callees first: `malloc ← grow ← append`; `nil` without names.
    ///
    /// The middle of a long chain is left out, keeping `outermost` names at its end.
    func callChain(outermost: Int = 3) -> String? {
        // Recursion and thunks repeat a name.
        let distinct = enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
        guard !distinct.isEmpty else { return nil }
        let shown =
            distinct.count <= Self.longestChain
            ? distinct : distinct.prefix(Self.longestChain - 1 - outermost) + ["…"] + distinct.suffix(outermost)
        return shown.joined(separator: " ← ")
    }
}

package enum SizeText {
    /// Returns bytes in MiB with one decimal place, or in KiB below 0.1 MiB: `12.5 MiB`, `12 KiB`.
    package static func text(_ bytes: Int) -> String {
        let size = Double(bytes)
        guard bytes != 0, abs(size) < 0.1 * 1_048_576 else { return ByteText.mebibytes(size) }
        return ByteText.fixed(size / 1024, places: abs(size) < 1024 ? 1 : 0) + " KiB"
    }

    /// Returns bytes in MiB with two decimal places below 1 MiB, to distinguish two sizes.
    static func precise(_ bytes: Int) -> String {
        abs(Double(bytes)) < 1_048_576
            ? ByteText.fixed(Double(bytes) / 1_048_576, places: 2) + " MiB" : ByteText.mebibytes(Double(bytes))
    }
}
