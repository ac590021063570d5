// SPDX-License-Identifier: Apache-2.0

import Charts
import Profiles
import Runs

/// Icicle charts of the holders of the peak, for each explained case.
struct HolderPictures: Sendable {
    private let entries: [ExplanationRecord.Entry]

    init(in folder: RunFolder?) throws {
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
        section.items = entries.compactMap { entry in entry.obstacle.map { .init(entry.cell, $0) } }
        return section
    }

    /// Returns the icicle: the kernel's figure on top, below it callers, then callees down to the allocation.
    static func picture(of profile: HolderProfile, side: Side?) -> ChartPicture {
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

    /// A profile as a tree: the kernel's figure, the call stacks from the thread's start, and memory without a stack.
    struct HolderTree: Sendable {
        /// The kernel's figure with everything below it, in MiB.
        let root: Icicle.Node

        init(_ profile: HolderProfile) {
            let stacks = Branch()
            for holder in profile.holders where holder.bytes > 0 {
                let path = holder.stack.reversed().filter(profile.frames.indices.contains)
                stacks.add(path, bytes: holder.bytes, state: holder.state)
            }
            var children = stacks.nodes(profile.frames)
            children += profile.residues.filter { $0.bytes > 0 }.map { residue in
                let name = SafeText.forTerminal(residue.kind.words + (residue.name.map { " " + $0 } ?? ""))
                return Icicle.Node(name, .residue, value: Self.mebibytes(residue.bytes))
            }
            if profile.unattributed > 0 {
                children.append(Icicle.Node("unattributed", .unattributed, value: Self.mebibytes(profile.unattributed)))
            }
            children.sort { ($0.value, $1.name) > ($1.value, $0.name) }
            root = Icicle.Node(
                "peak by the kernel", .whole, value: Self.mebibytes(max(0, profile.explainedPeak)), children: children)
        }

        fileprivate static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }

        private final class Branch {
            private var bytes = 0
            private var children: [Int: Branch] = [:]
            private var order: [Int] = []
            private var ends: [(words: String, bytes: Int)] = []

            func add(_ path: some Sequence<Int>, bytes: Int, state: Holder.State) {
                var place = self
                for frame in path {
                    if place.children[frame] == nil {
                        place.children[frame] = Branch()
                        place.order.append(frame)
                    }
                    place = place.children[frame] ?? place
                    place.bytes += bytes
                }
                if let words = state.words { place.ends.append((words, bytes)) }
            }

            func nodes(_ frames: [HolderFrame]) -> [Icicle.Node] {
                let called = order.compactMap { index -> Icicle.Node? in
                    guard let branch = children[index] else { return nil }
                    let frame = frames[index]
                    let place = frame.file.map { file in " " + file + (frame.line.map { ":\($0)" } ?? "") } ?? ""
                    return Icicle.Node(
                        SafeText.forTerminal(frame.function + place), frame.isSystem ? .system : .own,
                        value: HolderTree.mebibytes(branch.bytes), children: branch.nodes(frames))
                }
                let held = ends.map { Icicle.Node($0.words, .residue, value: HolderTree.mebibytes($0.bytes)) }
                return (called + held).sorted { ($0.value, $1.name) > ($1.value, $0.name) }
            }
        }
    }
}
