// SPDX-License-Identifier: Apache-2.0

import Charts
import Profiles
import Runs
import Texts

/// Icicle charts of the holders of the peak, for each explained case.
struct HolderPictures: Sendable {
    private let entries: [ExplanationRecord.Entry]

    /// Reads the explanations stored with a run; throws if they exist and cannot be read.
    init(in folder: RunFolder?) throws(FetchBenchError) {
        guard let folder, folder.has(.explanation) else {
            entries = []
            return
        }
        entries = try RunStore.explanation(in: folder).entries.withLast { $0.side == .base }
    }

    var section: DocumentSection {
        var section = DocumentSection("holders", "Who holds the peak")
        section.figures = entries.compactMap { entry in
            entry.profile.map {
                DocumentFigure(picture: Self.picture(of: $0, side: entry.side), caption: Self.caption(of: $0))
            }
        }
        section.items = entries.compactMap { entry in
            entry.obstacle.map { .init(entry.cell, $0) }
        }
        return section
    }

    /// Returns the icicle: the kernel's figure on top, below it callers, then callees down to the allocation.
    static func picture(of profile: HolderProfile, side: Side?) -> Picture {
        let tree = HolderTree(profile)
        let largest = tree.root.children.prefix(5).map { node in
            "\(node.name): \(ByteText.fixed(node.value, places: 2)) MiB"
        }
        let subject = SafeText.forTerminal(profile.subject) + (side.map { ", " + $0.rawValue } ?? "")
        return Icicle.picture(
            title: "Holders of the peak of \(subject)",
            summary:
                "Of \(FigureText.size(Double(profile.explainedPeak))) MiB the largest: \(largest.joined(separator: "; ")).",
            root: tree.root)
    }

    /// Returns the figures of a profile in words, its warnings, and what an icicle cannot show.
    private static func caption(of profile: HolderProfile) -> String {
        let share = profile.stackShare.map { "call stacks hold \(ByteText.fixed($0 * 100, places: 1)) % of it" }
        let plain = profile.plainPeak.map { "a plain trial's figure is \(FigureText.size(Double($0))) MiB" }
        let account = profile.recorder
        let own = "the recorder's own \(FigureText.size(Double(account.ownBytes))) MiB are in no figure"
        let parts =
            ["\(FigureText.size(Double(profile.explainedPeak))) MiB by the kernel"] + [share, plain].compactMap(\.self)
        let process = profile.process.map { ", process " + SafeText.forTerminal($0.text) } ?? ""
        let facts =
            "\(SafeText.forTerminal(profile.subject)) on \(SafeText.forTerminal(profile.allocator))\(process): "
            + (parts + [own]).joined(separator: "; ")
            + ". The width of a block is the memory it holds; its callees are below it."
        let warnings = ProfileRemarks.warnings(on: profile).map { "Warning: " + $0 }
        return ([facts] + [undrawn(of: profile)].compactMap(\.self) + warnings).joined(separator: " ")
    }

    /// Returns a sentence about negative rows, which have no width.
    private static func undrawn(of profile: HolderProfile) -> String? {
        let rows = profile.holders.map(\.bytes) + profile.residues.map(\.bytes)
        let gone = rows.filter { $0 < 0 }.reduce(0, +)
        var parts: [String] = []
        if gone < 0 {
            parts.append("less \(SizeText.text(-gone)) that was there at the mark and has been given back")
        }
        if profile.unattributed < 0 {
            parts.append("less \(SizeText.text(-profile.unattributed)) by which rows that are estimates are too large")
        }
        return parts.isEmpty ? nil : "Not drawn: " + parts.joined(separator: ", and ") + "."
    }
}
