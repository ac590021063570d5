// SPDX-License-Identifier: Apache-2.0

/// Who holds a process's memory at its peak, in rows that sum to the kernel's figure.
///
/// All sizes are bytes. They are growth since the mark that ends the warm-up where there is one, so that a row may be
/// negative: what was there at the mark and has been given back since.
package struct HolderProfile: Codable, Hashable, Sendable {
    /// The version of the document in this version of fetchbench.
    package static let currentVersion = 1

    /// The version of the document; an unknown one is refused.
    package var version = HolderProfile.currentVersion
    /// What was explained: the identifier of a case, or a command's name.
    package var subject: String
    /// The process that was explained, or `nil` where that is not known.
    package var process: HolderProcess?
    package var allocator: String
    /// The kernel's figure of the process that was explained: its peak, or by how much the peak is over the mark.
    package var explainedPeak: Int
    /// The same figure of a trial without the recorder, or `nil` where none was done.
    package var plainPeak: Int?
    /// The frames that the stacks of ``holders`` name by their place in this list.
    package var frames: [HolderFrame]
    /// Call stacks with what they hold, the largest first.
    package var holders: [Holder]
    /// What is held by no call stack, the largest first.
    package var residues: [Residue]
    /// What the recorder itself did and cost.
    package var recorder: RecorderAccount

    package init(
        subject: String, process: HolderProcess? = nil, allocator: String, explainedPeak: Int, plainPeak: Int? = nil,
        frames: [HolderFrame], holders: [Holder], residues: [Residue], recorder: RecorderAccount
    ) {
        self.subject = subject
        self.process = process
        self.allocator = allocator
        self.explainedPeak = explainedPeak
        self.plainPeak = plainPeak
        self.frames = frames
        self.holders = holders
        self.residues = residues
        self.recorder = recorder
    }

    /// What is in no row: the kernel's figure less all rows.
    ///
    /// It is negative where rows are estimates that are too large.
    package var unattributed: Int {
        explainedPeak - holders.reduce(0) { $0 + $1.bytes } - residues.reduce(0) { $0 + $1.bytes }
    }

    /// The share of the kernel's figure that call stacks hold, freed blocks among them; `nil` where there is no growth to
    /// explain.
    ///
    /// It is above 1 where the estimates of small blocks are too large.
    package var stackShare: Double? { share { _ in true } }

    /// The part of ``stackShare`` that was freed and that the allocator has kept.
    package var freedShare: Double? { share { $0.state == .freed } }

    private func share(of isCounted: (Holder) -> Bool) -> Double? {
        guard explainedPeak > 0 else { return nil }
        // An edited document may have sizes whose sum is no number.
        return holders.reduce(0) { $0 + (isCounted($1) ? Double($1.bytes) : 0) } / Double(explainedPeak)
    }

    /// Derived, for readers of the document; it is not read again.
    private enum DerivedKeys: String, CodingKey { case stackShare }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(subject, forKey: .subject)
        try container.encodeIfPresent(process, forKey: .process)
        try container.encode(allocator, forKey: .allocator)
        try container.encode(explainedPeak, forKey: .explainedPeak)
        try container.encodeIfPresent(plainPeak, forKey: .plainPeak)
        try container.encode(frames, forKey: .frames)
        try container.encode(holders, forKey: .holders)
        try container.encode(residues, forKey: .residues)
        try container.encode(recorder, forKey: .recorder)
        var derived = encoder.container(keyedBy: DerivedKeys.self)
        try derived.encodeIfPresent(stackShare, forKey: .stackShare)
    }
}

/// A process by the kernel's number and name.
package struct HolderProcess: Codable, Hashable, Sendable {
    package var identifier: Int
    /// At most 15 bytes, chosen by the program.
    package var name: String

    /// The process in words: `4711 (python3)`; a name of 15 bytes may have been cut by the kernel.
    package var text: String { "\(identifier) (\(name)\(name.utf8.count < 15 ? "" : "…"))" }
}

/// One function of a call stack.
package struct HolderFrame: Codable, Hashable, Sendable {
    /// The function, demangled; `module+0x1234` where it has no symbol.
    package var function: String
    /// The file name of the program or library that it is in.
    package var module: String
    /// The name of its source file, or `nil` where that is not known.
    package var file: String?
    /// The line in ``file``, from 1.
    package var line: Int?
    /// Whether the compiler put it into its caller.
    package var isInlined: Bool
    /// Whether it belongs to the language, the system or the recorder, not to the code that people write.
    package var isSystem: Bool

    package init(
        function: String, module: String, file: String? = nil, line: Int? = nil, isInlined: Bool = false,
        isSystem: Bool = false
    ) {
        self.function = function
        self.module = module
        self.file = file
        self.line = line
        self.isInlined = isInlined
        self.isSystem = isSystem
    }
}

/// A call stack with the bytes that it holds at the peak.
package struct Holder: Codable, Hashable, Sendable {
    /// Places in ``HolderProfile/frames``, the function that allocated first, the start of the thread last.
    package var stack: [Int]
    /// Resident bytes at the peak, less those at the mark.
    package var bytes: Int
    /// How many blocks they are; an estimate where blocks were sampled.
    package var blockCount: Int
    /// Whether it is scaled up from samples of small blocks.
    package var isEstimate: Bool
    /// Why the bytes are resident.
    package var state: State

    /// Why the bytes are resident.
    package enum State: String, Codable, Hashable, Sendable {
        /// The block is in use.
        case live
        /// The block that `realloc` copied from, while both existed.
        case reallocated
        /// It was freed, and the allocator has not given it back.
        case freed
    }

    package init(
        stack: [Int], bytes: Int, blockCount: Int, isEstimate: Bool = false, state: State = .live
    ) {
        self.stack = stack
        self.bytes = bytes
        self.blockCount = blockCount
        self.isEstimate = isEstimate
        self.state = state
    }
}

/// Memory that no call stack holds.
package struct Residue: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Pages of the heap in which no recorded block lives: small free lists, fragmentation, the allocator's tables.
        case allocator
        case stacks
        /// Pages of files that are mapped, programs and libraries among them.
        case files
        /// What programs and libraries wrote into their own data, and the loader's relocations.
        case programData = "program_data"
        /// Anonymous and shared mappings that the recorder did not see made.
        case mappings
    }

    package var kind: Kind
    /// Which one, such as the name of a file; `nil` for all of the kind.
    package var name: String?
    /// Resident bytes at the peak, less those at the mark.
    package var bytes: Int

    package init(_ kind: Kind, name: String? = nil, bytes: Int) {
        self.kind = kind
        self.name = name
        self.bytes = bytes
    }
}

/// What the recorder did in the process, and what that cost.
package struct RecorderAccount: Codable, Hashable, Sendable {
    /// Memory of the recorder itself, which is in no figure.
    package var ownBytes: Int
    package var allocationCount: Int
    package var stackCount: Int
    /// How many looks at all blocks it has taken.
    package var captureCount: Int
    /// Blocks that did not fit into its tables.
    package var lostCount: Int
    /// How long walking stacks and looking took, in nanoseconds.
    package var nanoseconds: Int
    /// Whether rows may count memory that was read and never written; `nil` where they do not.
    package var mayCountZeros: Bool?

    package init(
        ownBytes: Int, allocationCount: Int, stackCount: Int, captureCount: Int, lostCount: Int, nanoseconds: Int
    ) {
        self.ownBytes = ownBytes
        self.allocationCount = allocationCount
        self.stackCount = stackCount
        self.captureCount = captureCount
        self.lostCount = lostCount
        self.nanoseconds = nanoseconds
    }
}
