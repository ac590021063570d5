// SPDX-License-Identifier: Apache-2.0

/// The anonymous memory of a process by use, less what blocks hold of it.
struct AnonymousMemory {
    /// A mapping with the bytes of it that are not yet attributed to a block.
    private struct Part {
        var range: Range<UInt64>
        var key: Attribution.ResidueKey
        var bytes: Int
    }

    private let ownMemory: Range<UInt64>
    private var previous: Mapping?
    private var parts: [Part] = []

    init(_ recording: Recording) {
        ownMemory = recording.ownMemory
    }

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
                bytes: mapping.anonymous - own))
    }

    /// Subtracts a block's bytes from the mappings that it lies in, and returns how many bytes these were.
    /// - Parameters:
    ///   - isLimited: True for a freed block: takes at most what is left in mappings of the allocator.
    ///   - held: Returns the resident bytes of a range that belong to the block.
    mutating func take(
        _ range: Range<UInt64>, isLimited: Bool = false, held: (Range<UInt64>) -> Int
    ) -> Int {
        var sum = 0
        var place = parts.partitioningIndex { $0.range.upperBound > range.lowerBound }
        while place < parts.count, parts[place].range.lowerBound < range.upperBound {
            let own = held(range.clamped(to: parts[place].range))
            // Freed memory may have been unmapped, and its addresses reused, such as for a thread's stack.
            let isOther = isLimited && parts[place].key.kind != .allocator
            let taken = isOther ? 0 : isLimited ? min(own, max(0, parts[place].bytes)) : own
            parts[place].bytes -= taken
            sum += taken
            place += 1
        }
        return sum
    }

    /// The bytes in no block; negative for the heap where estimates of blocks exceed what is resident.
    var rest: [(Attribution.ResidueKey, Int)] { parts.map { ($0.key, $0.bytes) } }
}
