// SPDX-License-Identifier: Apache-2.0

/// The resident memory of a process in one capture, by row, in bytes.
///
/// Every page is in one row. The rows sum to the resident size in `/proc/PID/smaps`, less the recorder's own tables,
/// plus the block that `realloc` had just freed if that triggered the capture.
package struct Attribution: Sendable {
    struct StackKey: Hashable, Sendable {
        /// The index of the innermost frame in the recording.
        var stack: Int
        var state: Holder.State
    }

    struct Held: Hashable, Sendable {
        var bytes = 0
        var blockCount = 0
        var isEstimate = false
    }

    struct ResidueKey: Hashable, Sendable {
        var kind: Residue.Kind
        var name: String?
    }

    private(set) var stacks: [StackKey: Held] = [:]
    private(set) var residues: [ResidueKey: Int] = [:]

    package init(_ recording: Recording) {
        var heap = AnonymousMemory(recording)
        for mapping in recording.mappings { classify(mapping, &heap) }
        let pages = recording.pages
        var covered = CoveredRanges()
        for block in Self.innermostFirst(recording.blocks) {
            let bytes = covered.cover(block.range).reduce(0) {
                $0 + heap.take($1) { pages.resident(in: $0) }
            }
            hold(block, bytes, .live)
        }
        for block in recording.blocks where block.isSample {
            let first = block.address..<block.address + 1
            hold(block, heap.take(first) { pages.resident(in: $0) > 0 ? Int(block.weight) : 0 }, .live)
        }
        for block in recording.freed where !block.isSample && !block.isMapping {
            // Unrecorded small blocks may have reused its addresses, so at most what is left is attributed to it.
            let bytes = covered.cover(block.range).reduce(0) {
                $0 + heap.take($1, isLimited: true) { pages.resident(in: $0) }
            }
            if bytes > 0 { hold(block, bytes, .freed) }
        }
        for (key, bytes) in heap.rest { residues[key, default: 0] += bytes }
        takeMoved(recording)
    }

    /// Returns the blocks that are not samples, allocations before mappings and small ones before large ones.
    private static func innermostFirst(_ blocks: [Recording.Block]) -> [Recording.Block] {
        blocks.filter { !$0.isSample }.sorted {
            ($0.isMapping ? 1 : 0, $0.size, $0.address) < ($1.isMapping ? 1 : 0, $1.size, $1.address)
        }
    }

    private mutating func classify(_ mapping: Mapping, _ heap: inout AnonymousMemory) {
        let kind = heap.classify(mapping)
        guard !mapping.isOfRecorder else { return }
        let files = mapping.resident - mapping.anonymous
        if files > 0 { residues[ResidueKey(kind: .files, name: Self.name(of: mapping)), default: 0] += files }
        if mapping.anonymous > 0 { heap.add(mapping, kind) }
    }

    private mutating func hold(_ block: Recording.Block, _ bytes: Int, _ state: Holder.State) {
        var held = stacks[StackKey(stack: block.stack, state: state)] ?? Held()
        held.bytes += bytes
        held.blockCount += block.size == 0 ? 1 : max(1, Int(block.weight / block.size))
        held.isEstimate = held.isEstimate || block.isSample
        stacks[StackKey(stack: block.stack, state: state)] = held
    }

    /// Adds the block that `realloc` copied from: it is gone at the capture, so its bytes come from the kernel's peak.
    private mutating func takeMoved(_ recording: Recording) {
        guard let moved = recording.moved else { return }
        let bytes = min(Int(moved.size), max(0, recording.highWater - recording.resident))
        stacks[StackKey(stack: moved.stack, state: .reallocated), default: Held()].bytes += bytes
        stacks[StackKey(stack: moved.stack, state: .reallocated), default: Held()].blockCount += 1
    }

    static func name(of mapping: Mapping) -> String {
        let path = mapping.path.isEmpty ? "shared memory" : mapping.path
        let gone = " (deleted)"
        let whole = path.hasSuffix(gone) ? path.dropLast(gone.count) : path[...]
        return whole.split(separator: "/").last.map(String.init) ?? String(whole)
    }

    /// Returns the growth since another capture of the same process.
    func since(_ base: Attribution) -> Attribution {
        var growth = self
        for (key, held) in base.stacks {
            growth.stacks[key, default: Held()].bytes -= held.bytes
            growth.stacks[key, default: Held()].blockCount -= held.blockCount
            growth.stacks[key, default: Held()].isEstimate = held.isEstimate || growth.stacks[key]?.isEstimate == true
        }
        for (key, bytes) in base.residues { growth.residues[key, default: 0] -= bytes }
        return growth
    }

    package var total: Int {
        stacks.values.reduce(0) { $0 + $1.bytes } + residues.values.reduce(0, +)
    }
}
