// SPDX-License-Identifier: Apache-2.0

import Texts

/// A profile as stacks that sum to the kernel's figure, for formats without residues: these get synthetic frames.
package struct ProfileRows: Hashable, Sendable {
    /// The functions, followed by the synthetic frames, whose names are in brackets.
    package private(set) var frames: [HolderFrame]
    /// Holders in their order, then residues and the unattributed rest unless they are 0.
    package private(set) var rows: [Row] = []

    package struct Row: Hashable, Sendable {
        /// Indices in ``ProfileRows/frames``, innermost first.
        package var stack: [Int]
        /// Resident bytes, less those at the mark.
        package var bytes: Int
        package var blockCount: Int
        package var origin: Origin
        package var isHolder: Bool {
            if case .holder = origin { true } else { false }
        }
    }

    package enum Origin: Hashable, Sendable {
        case holder(Holder.State, isEstimate: Bool)
        case residue(Residue.Kind)
        case unattributed
    }

    package init(_ profile: HolderProfile) {
        frames = profile.frames
        rows = profile.holders.map { holder in
            Row(
                stack: holder.stack, bytes: holder.bytes, blockCount: holder.blockCount,
                origin: .holder(holder.state, isEstimate: holder.isEstimate))
        }
        for residue in profile.residues where residue.bytes != 0 {
            let names = residue.name.map { [$0] } ?? []
            append(names + [residue.kind.words], bytes: residue.bytes, .residue(residue.kind))
        }
        if profile.unattributed != 0 {
            append(["unattributed"], bytes: profile.unattributed, .unattributed)
        }
    }

    package func frames(of row: Row) -> [HolderFrame] { row.stack.map { frames[$0] } }

    /// The rows with the state of freed and moved blocks as the innermost frame, for formats without labels.
    package var withStatesAsFrames: ProfileRows {
        var copy = self
        var places: [Holder.State: Int] = [:]
        for (index, row) in rows.enumerated() {
            guard case .holder(let state, _) = row.origin, let words = state.words else { continue }
            let place = places[state] ?? copy.addFrame(words)
            places[state] = place
            copy.rows[index].stack.insert(place, at: 0)
        }
        return copy
    }

    private mutating func append(_ names: [String], bytes: Int, _ origin: Origin) {
        rows.append(Row(stack: names.map { addFrame($0) }, bytes: bytes, blockCount: 0, origin: origin))
    }

    private mutating func addFrame(_ name: String) -> Int {
        let frame = HolderFrame(function: "[\(name)]", module: "", isSystem: true)
        if let place = frames[syntheticStart...].firstIndex(of: frame) { return place }
        frames.append(frame)
        return frames.count - 1
    }

    private var syntheticStart: Int { frames.firstIndex { $0.module.isEmpty } ?? frames.count }
}

extension Residue.Kind {
    package var words: String {
        switch self {
        case .allocator: "kept by the allocator, no block"
        case .stacks: "stacks and data of threads"
        case .files: "mapped files"
        case .programData: "data of programs and libraries"
        case .mappings: "mapped by system calls, no known caller"
        }
    }
}

extension Holder.State {
    /// The reason why unused bytes are resident; `nil` for blocks in use.
    package var words: String? {
        switch self {
        case .live: nil
        case .reallocated: "copied from by realloc"
        case .freed: "freed, kept by the allocator"
        }
    }
}

struct ProfileFacts {
    struct Fact: Hashable {
        let label: String
        let value: String
    }

    let all: [Fact]

    init(_ profile: HolderProfile) {
        let recorder = profile.recorder
        var facts = [
            Fact(label: "subject", value: profile.subject),
            Fact(label: "allocator", value: profile.allocator),
            Fact(label: "kernel's figure", value: "\(profile.explainedPeak) bytes"),
        ]
        if let process = profile.process { facts.insert(Fact(label: "process", value: process.text), at: 1) }
        if let share = profile.stackShare {
            facts.append(Fact(label: "held by call stacks", value: ByteText.fixed(share * 100, places: 1) + " %"))
        }
        if let plain = profile.plainPeak {
            facts.append(Fact(label: "kernel's figure without the recorder", value: "\(plain) bytes"))
        }
        facts += [
            Fact(label: "unattributed", value: "\(profile.unattributed) bytes"),
            Fact(label: "recorder's own memory, in no figure", value: "\(recorder.ownBytes) bytes"),
            Fact(label: "allocations seen", value: "\(recorder.allocationCount)"),
            Fact(label: "call stacks walked", value: "\(recorder.stackCount)"),
            Fact(label: "looks at all blocks", value: "\(recorder.captureCount)"),
            Fact(label: "blocks lost", value: "\(recorder.lostCount)"),
            Fact(label: "recorder's time", value: Self.seconds(recorder.nanoseconds)),
        ]
        all = facts
    }

    static func seconds(_ nanoseconds: Int) -> String {
        ByteText.fixed(Double(nanoseconds) / 1e9, places: 3) + " s"
    }
}
