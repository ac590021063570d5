// SPDX-License-Identifier: Apache-2.0

/// The anonymous memory of a process by what it is for, less what blocks hold of it.
struct AnonymousMemory {
    /// One mapping with what of it is in no block yet.
    private struct Part {
        var range: Range<UInt64>
        var key: Attribution.ResidueKey
        var bytes: Int
    }

    private let ownMemory: Range<UInt64>
    private let mapped: Set<UInt64>
    private var previous: Mapping?
    private var parts: [Part] = []

    init(_ recording: Recording) {
        ownMemory = recording.ownMemory
        mapped = Set(recording.blocks.lazy.filter(\.isMapping).map(\.address))
    }

    /// What a mapping is; called in the order of addresses.
    mutating func classify(_ mapping: Mapping) -> Residue.Kind {
        defer { previous = mapping }
        if mapping.isFile { return .programData }
        if mapping.path == "[stack]" { return .stacks }
        if mapping.path == "[heap]" { return .allocator }
        if !mapping.path.isEmpty { return .mappings }
        guard let previous, previous.range.upperBound == mapping.range.lowerBound else { return .allocator }
        // A library's data goes on in anonymous memory; a thread's stack stands on a page that nobody may touch.
        if previous.isFile, previous.permissions.contains("w") { return .programData }
        let isGuard = !previous.isAccessible && previous.path.isEmpty && previous.range.count <= 64 << 10
        return isGuard ? .stacks : .allocator
    }

    mutating func add(_ mapping: Mapping, _ kind: Residue.Kind) {
        let name = kind == .programData && mapping.isFile ? Attribution.name(of: mapping) : nil
        // The kernel makes neighbours one mapping, so the recorder's tables may be a part of one. All of them are resident.
        let own = mapping.range.clamped(to: ownMemory).count
        parts.append(
            Part(
                range: mapping.range, key: Attribution.ResidueKey(kind: kind, name: name),
                bytes: mapping.anonymous - own))
    }

    /// Takes what a block holds out of the memory that it is in.
    mutating func subtract(_ bytes: Int, at address: UInt64) {
        // A block can go on in the next mapping: what it holds of it is the allocator's as well.
        if let index = index(of: address) { parts[index].bytes -= bytes }
    }

    /// How much of the memory around an address is in no block yet.
    func left(at address: UInt64) -> Int {
        index(of: address).map { parts[$0].bytes } ?? 0
    }

    private func index(of address: UInt64) -> Int? {
        var low = 0
        var high = parts.count
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].range.upperBound > address { high = middle } else { low = middle + 1 }
        }
        return low < parts.count ? low : nil
    }

    /// What is in no block.
    ///
    /// Estimates can be larger than what is there: then the rest of the heap is negative, and that is passed on.
    var rest: [(Attribution.ResidueKey, Int)] { parts.map { ($0.key, $0.bytes) } }
}
