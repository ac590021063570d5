// SPDX-License-Identifier: Apache-2.0

import Charts
import Profiles
import Texts

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
            children.append(
                Icicle.Node("unattributed", .unattributed, value: Self.mebibytes(profile.unattributed)))
        }
        children.sort { ($0.value, $1.name) > ($1.value, $0.name) }
        root = Icicle.Node(
            "peak by the kernel", .whole, value: Self.mebibytes(max(0, profile.explainedPeak)), children: children)
    }

    fileprivate static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }
}

/// A node of the tree under construction.
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
