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
    private var previous: Mapping?
    private var parts: [Part] = []

    init(_ recording: Recording) {
        ownMemory = recording.ownMemory
    }

    /// What a mapping is; called in the order of addresses.
    mutating func classify(_ mapping: Mapping) -> Residue.Kind {
        defer { previous = mapping }
        if mapping.isFile { return .programData }
        if mapping.path == "[stack]" { return .stacks }
        if mapping.path == "[heap]" { return .allocator }
        if !mapping.isAnonymous { return .mappings }
        // glibc names them where it is asked to (`glibc.mem.decorate_maps`).
        if mapping.path.hasPrefix("[anon: glibc: pthread stack") { return .stacks }
        guard let previous, previous.range.upperBound == mapping.range.lowerBound else { return .allocator }
        // A library's data goes on in anonymous memory; a thread's stack stands on a page that nobody may touch.
        if previous.isFile, previous.permissions.contains("w") { return .programData }
        let isGuard = !previous.isAccessible && previous.isAnonymous && previous.range.count <= 64 << 10
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

    /// Takes what a block holds out of the mappings that it is in: one, or neighbours that the kernel keeps apart.
    /// - Parameters:
    ///   - held: how much of a range is resident and the block's own, in bytes.
    ///   - isLimited: whether it was freed: no more can be its own than is left in a mapping of the allocator's.
    /// - Returns: how much it was, in bytes.
    mutating func take(
        _ range: Range<UInt64>, isLimited: Bool = false, held: (Range<UInt64>) -> Int
    ) -> Int {
        var sum = 0
        var place = parts.partitioningIndex { $0.range.upperBound > range.lowerBound }
        while place < parts.count, parts[place].range.lowerBound < range.upperBound {
            let own = held(range.clamped(to: parts[place].range))
            // What was freed is the allocator's, or nobody's: its place may be a thread's stack by now.
            let isOther = isLimited && parts[place].key.kind != .allocator
            let taken = isOther ? 0 : isLimited ? min(own, max(0, parts[place].bytes)) : own
            parts[place].bytes -= taken
            sum += taken
            place += 1
        }
        return sum
    }

    /// What is in no block.
    ///
    /// Estimates can be larger than what is there: then the rest of the heap is negative, and that is passed on.
    var rest: [(Attribution.ResidueKey, Int)] { parts.map { ($0.key, $0.bytes) } }
}
