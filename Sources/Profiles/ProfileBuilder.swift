// SPDX-License-Identifier: Apache-2.0

/// Builds a profile from recordings: symbolicates addresses and makes one row for each stack.
package struct ProfileBuilder {
    /// Stacks that hold fewer bytes share one row, to save symbolicating each of them.
    static let leastNamed = 1024

    private let recording: Recording
    private let growth: Attribution
    private let images: [LoadedImage]
    /// The frames of addresses; those of others are modules and offsets.
    private var names: [UInt64: [HolderFrame]] = [:]

    /// Takes the last capture of a process, and that at the mark from which growth counts, or `nil` to count all.
    package init(peak: Recording, baseline: Recording?) {
        recording = peak
        let attribution = Attribution(peak)
        growth = baseline.map { attribution.since(Attribution($0)) } ?? attribution
        images = LoadedImage.images(in: peak.mappings)
    }

    package func named(by symbolizer: Symbolizer) async -> ProfileBuilder {
        var named = self
        let stacks = growth.stacks.filter { abs($0.value.bytes) >= Self.leastNamed }.keys
        let addresses = Set(stacks.flatMap { path(of: $0.stack) })
        named.names = await symbolizer.frames(of: addresses.sorted(), in: images)
        return named
    }

    /// Returns the profile; `explainedPeak` is the kernel's figure in bytes, without the recorder's own memory.
    package func profile(
        of subject: String, allocator: String, explainedPeak: Int, plainPeak: Int?
    ) -> HolderProfile {
        var table = FrameTable(names: names, images: images)
        var holders: [HolderKey: Attribution.Held] = [:]
        for (key, held) in growth.stacks {
            let isNamed = abs(held.bytes) >= Self.leastNamed
            let stack = isNamed ? path(of: key.stack).flatMap { table.frames(of: $0) } : []
            holders[HolderKey(stack: stack, state: key.state), default: Attribution.Held()].add(held)
        }
        return HolderProfile(
            subject: subject, process: HolderProfile.Process(identifier: recording.process, name: recording.name),
            allocator: allocator, explainedPeak: explainedPeak, plainPeak: plainPeak,
            frames: table.frames, holders: Self.sorted(holders), residues: residues, recorder: recording.account)
    }

    private func path(of stack: Int) -> [UInt64] {
        var addresses: [UInt64] = []
        var place = stack
        while place != 0 {
            addresses.append(recording.frames[place].address)
            place = recording.frames[place].parent
        }
        return addresses
    }

    private var residues: [Residue] {
        growth.residues.filter { $0.value != 0 }
            .map { Residue($0.key.kind, name: $0.key.name, bytes: $0.value) }
            .sorted { ($1.bytes, $0.kind.rawValue, $0.name ?? "") < ($0.bytes, $1.kind.rawValue, $1.name ?? "") }
    }

    private static func sorted(_ holders: [HolderKey: Attribution.Held]) -> [Holder] {
        holders.filter { $0.value.bytes != 0 }
            .map {
                Holder(
                    stack: $0.key.stack, bytes: $0.value.bytes, blockCount: $0.value.blockCount,
                    isEstimate: $0.value.isEstimate, state: $0.key.state)
            }
            .sorted { $0.bytes == $1.bytes ? $0.stack.lexicographicallyPrecedes($1.stack) : $0.bytes > $1.bytes }
    }

    /// The key of a row: addresses of the same line are one frame, so their stacks share a row.
    private struct HolderKey: Hashable {
        var stack: [Int]
        var state: Holder.State
    }

    struct FrameTable {
        private(set) var frames: [HolderFrame] = []
        private var places: [HolderFrame: Int] = [:]
        private let names: [UInt64: [HolderFrame]]
        private let images: [LoadedImage]

        init(names: [UInt64: [HolderFrame]], images: [LoadedImage]) {
            (self.names, self.images) = (names, images)
        }

        mutating func frames(of address: UInt64) -> [Int] {
            let image = images.last { $0.range.contains(address) }
            return (names[address] ?? [unnamed(address, in: image)]).map { frame in
                var frame = frame
                frame.isSystem = frame.isSystem || image?.isSystem == true
                return place(of: frame)
            }
        }

        private mutating func place(of frame: HolderFrame) -> Int {
            if let place = places[frame] { return place }
            frames.append(frame)
            places[frame] = frames.count - 1
            return frames.count - 1
        }

        private func unnamed(_ address: UInt64, in image: LoadedImage?) -> HolderFrame {
            guard let image else {
                return HolderFrame(function: "0x" + String(address, radix: 16), module: "?")
            }
            let offset = String(address - image.range.lowerBound, radix: 16)
            return HolderFrame(function: "\(image.name)+0x\(offset)", module: image.name)
        }
    }
}

extension Attribution.Held {
    fileprivate mutating func add(_ other: Self) {
        bytes += other.bytes
        blockCount += other.blockCount
        isEstimate = isEstimate || other.isEstimate
    }
}
