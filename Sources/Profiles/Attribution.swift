// SPDX-License-Identifier: Apache-2.0

/// The resident memory of a process in one capture, by row, in bytes.
///
/// Every page is in one row. The rows sum to the resident size in `/proc/PID/smaps`, less the recorder's own tables,
/// plus the block that `realloc` had just freed if that triggered the capture.
package struct Attribution: Sendable {
    struct StackKey: Hashable, Sendable {
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
                $0 + heap.take($1, isAllocated: !block.isMapping) { pages.resident(in: $0) }
            }
            hold(block, bytes, .live)
        }
        for block in recording.blocks where block.isSample {
            let first = block.address..<block.address + 1
            hold(block, heap.take(first) { pages.resident(in: $0) > 0 ? Int(block.weight) : 0 }, .live)
        }
        let past = recording.pastBlocks
        for block in past where !block.isSample {
            // Unrecorded small blocks may have reused its addresses, so at most what is left is attributed to it.
            let bytes = covered.cover(block.range).reduce(0) {
                $0 + heap.take($1, isLimited: true) { pages.resident(in: $0) }
            }
            if bytes > 0 { hold(block, bytes, .freed) }
        }
        let samples = past.filter { $0.isSample && pages.resident(in: $0.address..<$0.address + 1) > 0 }
        for (block, bytes) in zip(samples, heap.share(samples)) where bytes > 0 { hold(block, bytes, .freed) }
        residues[ResidueKey(kind: .stacks), default: 0] += covered.cover(recording.threadData).reduce(0) {
            $0 + heap.take($1, isAllocated: false) { pages.resident(in: $0) }
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

    struct CoveredRanges {
        /// Ordered by address, without overlaps.
        private var ranges: [Range<UInt64>] = []

        mutating func cover(_ range: Range<UInt64>) -> [Range<UInt64>] {
            guard !range.isEmpty else { return [] }
            let first = ranges.partitioningIndex { $0.upperBound >= range.lowerBound }
            var last = first
            var free: [Range<UInt64>] = []
            var place = range.lowerBound
            var whole = range
            while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
                if place < ranges[last].lowerBound { free.append(place..<ranges[last].lowerBound) }
                place = max(place, ranges[last].upperBound)
                whole = min(whole.lowerBound, ranges[last].lowerBound)..<max(whole.upperBound, ranges[last].upperBound)
                last += 1
            }
            if place < range.upperBound { free.append(place..<range.upperBound) }
            ranges.replaceSubrange(first..<last, with: CollectionOfOne(whole))
            return free
        }
    }

    /// The anonymous memory of a process by use, less what blocks hold of it.
    struct AnonymousMemory {
        /// A mapping with the bytes of it that are not yet attributed to a block.
        private struct Part {
            var range: Range<UInt64>
            var key: Attribution.ResidueKey
            var bytes: Int
            /// True if the allocator has a block in it: other memory was mapped by system calls that no recorder sees.
            var isAllocators: Bool
        }

        private let ownMemory: Range<UInt64>
        private var previous: Mapping?
        private var parts: [Part] = []

        init(_ recording: Recording) { ownMemory = recording.ownMemory }

        /// Returns the kind of a mapping; must be called in the order of addresses.
        mutating func classify(_ mapping: Mapping) -> Residue.Kind {
            defer { previous = mapping }
            if mapping.isFile { return .programData }
            if mapping.path == "[stack]" { return .stacks }
            if mapping.path == "[heap]" { return .allocator }
            if !mapping.isAnonymous { return .mappings }
            // glibc names stacks if `glibc.mem.decorate_maps` is set.
            if mapping.path.hasPrefix("[anon: glibc: pthread stack") { return .stacks }
            guard let previous, previous.range.upperBound == mapping.range.lowerBound else { return .allocator }
            // A library's data continues in anonymous memory; a thread's stack lies above an inaccessible guard page.
            if previous.isFile, previous.permissions.contains("w") { return .programData }
            let isGuard = !previous.isAccessible && previous.isAnonymous && previous.range.count <= 64 << 10
            return isGuard ? .stacks : .allocator
        }

        mutating func add(_ mapping: Mapping, _ kind: Residue.Kind) {
            let name = kind == .programData && mapping.isFile ? Attribution.name(of: mapping) : nil
            // The kernel merges adjacent mappings, so the recorder's tables may be part of one. All of them are resident.
            let own = mapping.range.clamped(to: ownMemory).count
            parts.append(
                Part(
                    range: mapping.range, key: Attribution.ResidueKey(kind: kind, name: name),
                    bytes: mapping.anonymous - own, isAllocators: mapping.path == "[heap]"))
        }

        /// Subtracts a block's bytes from the mappings that it lies in, and returns how many bytes these were.
        /// - Parameters:
        ///   - isLimited: True for a freed block: takes at most what is left in mappings of the allocator.
        ///   - isAllocated: True for a block of the allocator.
        ///   - held: Returns the resident bytes of a range that belong to the block.
        mutating func take(
            _ range: Range<UInt64>, isLimited: Bool = false, isAllocated: Bool = true, held: (Range<UInt64>) -> Int
        ) -> Int {
            var sum = 0
            var place = parts.partitioningIndex { $0.range.upperBound > range.lowerBound }
            while place < parts.count, parts[place].range.lowerBound < range.upperBound {
                let own = held(range.clamped(to: parts[place].range))
                // Freed memory may have been unmapped, and its addresses reused, such as for a thread's stack.
                let isOther = isLimited && parts[place].key.kind != .allocator
                let taken = isOther ? 0 : isLimited ? min(own, max(0, parts[place].bytes)) : own
                parts[place].bytes -= taken
                parts[place].isAllocators = parts[place].isAllocators || isAllocated
                sum += taken
                place += 1
            }
            return sum
        }

        /// Divides the rest of each of the allocator's mappings among freed samples of small blocks there, each of which gets
        /// at most the bytes that it represents; returns their bytes.
        mutating func share(_ samples: [Recording.Block]) -> [Int] {
            let places = samples.map { block in parts.partitioningIndex { $0.range.upperBound > block.address } }
            var wanted: [Int: Int] = [:]
            for (block, place) in zip(samples, places) { wanted[place, default: 0] += Int(block.weight) }
            let rests = parts.map { $0.key.kind == .allocator ? max(0, $0.bytes) : 0 }
            return zip(samples, places).map { block, place in
                guard place < parts.count, parts[place].range.contains(block.address), let all = wanted[place], all > 0
                else {
                    return 0
                }
                let bytes = Int(Double(block.weight) * min(1, Double(rests[place]) / Double(all)))
                parts[place].bytes -= bytes
                return bytes
            }
        }

        /// The bytes in no block; negative for the heap where estimates of blocks exceed what is resident.
        var rest: [(Attribution.ResidueKey, Int)] {
            parts.map { part in
                let isUnknown = part.key.kind == .allocator && !part.isAllocators
                return (isUnknown ? Attribution.ResidueKey(kind: .mappings) : part.key, part.bytes)
            }
        }
    }
}
