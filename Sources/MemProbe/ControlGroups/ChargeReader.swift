// SPDX-License-Identifier: Apache-2.0

/// Reads the charge of a control group through descriptors that stay open; reading allocates nothing.
package struct ChargeReader: ~Copyable, Sendable {
    private let memory: ChargeCounter
    /// The buffers of TCP, which version 1 counts apart.
    private let sockets: ChargeCounter?
    private let statistics: Descriptor
    /// The memory of the kernel, which `memory.stat` of version 1 lacks.
    private let kernel: Descriptor?
    private let text = TextBuffer(capacity: ChargeReader.roomForStatistics)
    private var highestTotal = ByteCount.zero
    /// The room for `memory.stat`, which has some 1.5 KiB, and for what later kernels add to it.
    private static let roomForStatistics = 16384

    /// Opens the files of a group.
    /// - Throws: ``MemProbeError`` if the group is gone or does not count memory.
    package init(_ group: ControlGroup) throws(MemProbeError) {
        let folder = try Descriptor(opening: group.folder)
        let isFirst = group.version == .first
        let statistics = try Descriptor(opening: "memory.stat", in: folder)
        let memory =
            isFirst
            ? try ChargeCounter("memory.usage_in_bytes", mark: "memory.max_usage_in_bytes", in: folder)
            : try ChargeCounter("memory.current", mark: "memory.peak", in: folder)
        // Assigned together: a noncopyable value cannot be left half initialised if a file is missing.
        self.statistics = statistics
        self.memory = memory
        sockets = try? ChargeCounter(
            "memory.kmem.tcp.usage_in_bytes", mark: "memory.kmem.tcp.max_usage_in_bytes", in: folder)
        kernel = try? Descriptor(opening: "memory.kmem.usage_in_bytes", in: folder)
    }

    package mutating func total() throws(MemProbeError) -> ByteCount {
        let total = try memory.read(through: text) + (try sockets?.read(through: text) ?? .zero)
        highestTotal = max(highestTotal, total)
        return total
    }

    /// Reads the charge with its parts, and what the group had to read again so far.
    package mutating func charge() throws(MemProbeError) -> (charge: MemoryCharge, reclaim: ReclaimCounts) {
        let total = try total()
        let parts = try parts()
        let charge = MemoryCharge(
            total: total, anonymous: parts.anonymous, pageCache: max(.zero, parts.files - parts.sharedMemory),
            sharedMemory: parts.sharedMemory, sockets: try sockets?.read(through: text) ?? parts.sockets,
            kernel: try kernel?.size(through: text) ?? parts.kernel)
        return (charge, parts.reclaim)
    }

    /// Reads `memory.stat` alone, in some 50 µs.
    package func parts() throws(MemProbeError) -> ChargeStatistics {
        try ChargeStatistics(parsing: text.prefix(try statistics.read(into: text)).span)
    }

    /// Returns the highest charge since the group was made.
    package mutating func peak() throws(MemProbeError) -> ChargePeak {
        _ = try total()
        guard let peak = try memory.peak(through: text) else {
            return ChargePeak(total: highestTotal, errorBound: nil)
        }
        guard let apart = try sockets?.peak(through: text) else { return ChargePeak(total: peak, errorBound: .zero) }
        let least = max(peak, apart, highestTotal)
        return ChargePeak(total: least, errorBound: max(.zero, peak + apart - least))
    }

    /// A counter of a control group with the kernel's mark of its highest value, which nothing here resets.
    private struct ChargeCounter: ~Copyable, Sendable {
        private let usage: Descriptor
        /// `nil` where the kernel keeps no mark: in version 2 before 5.19.
        private let mark: Descriptor?

        init(_ name: StaticString, mark: StaticString, in folder: borrowing Descriptor) throws(MemProbeError) {
            usage = try Descriptor(opening: name, in: folder)
            self.mark = try? Descriptor(opening: mark, in: folder)
        }

        func read(through text: borrowing TextBuffer) throws(MemProbeError) -> ByteCount {
            try usage.size(through: text)
        }

        /// Returns the highest value; `nil` without a mark.
        func peak(through text: borrowing TextBuffer) throws(MemProbeError) -> ByteCount? {
            try mark?.size(through: text)
        }
    }
}

extension Descriptor {
    /// Reads a file with one number of bytes.
    fileprivate borrowing func size(through text: borrowing TextBuffer) throws(MemProbeError) -> ByteCount {
        let length = try read(into: text)
        var scanner = ByteScanner()
        guard let number = scanner.number(in: text.prefix(length).span) else {
            throw MemProbeError(.malformed, source: path)
        }
        return ByteCount(number)
    }
}
