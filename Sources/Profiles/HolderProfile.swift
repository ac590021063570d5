// SPDX-License-Identifier: Apache-2.0

/// The holders of a process's memory at its peak, in rows that sum to the kernel's figure.
///
/// All sizes are bytes. If there is a mark that ends the warm-up, they are growth since then, and negative for memory
/// that was given back.
package struct HolderProfile: Codable, Hashable, Sendable {
    package static let currentVersion = 1

    /// The version of the document; unknown versions are refused.
    package var version = HolderProfile.currentVersion
    /// The identifier of a case, or the name of a command.
    package var subject: String
    package var process: Process?
    package var allocator: String
    /// The kernel's figure of the explained process: its peak, or the peak's growth over the mark.
    package var explainedPeak: Int
    package var plainPeak: Int?
    /// All processes of the trial without the recorder, if there were several.
    package var tree: Tree?
    package var frames: [HolderFrame]
    package var holders: [Holder]
    package var residues: [Residue]
    package var recorder: RecorderAccount

    package init(
        subject: String, process: Process? = nil, allocator: String, explainedPeak: Int,
        plainPeak: Int? = nil,
        frames: [HolderFrame], holders: [Holder], residues: [Residue], recorder: RecorderAccount
    ) {
        (self.subject, self.process, self.allocator) = (subject, process, allocator)
        (self.explainedPeak, self.plainPeak, self.frames) = (explainedPeak, plainPeak, frames)
        (self.holders, self.residues, self.recorder) = (holders, residues, recorder)
    }

    package struct Tree: Codable, Hashable, Sendable {
        package var processes: Int
        /// The memory that they held together, without program pages where these are known.
        package var bytes: Int

        package init(processes: Int, bytes: Int) { (self.processes, self.bytes) = (processes, bytes) }
    }

    /// The kernel's figure less all rows; negative where estimates are too large.
    package var unattributed: Int {
        explainedPeak - holders.reduce(0) { $0 + $1.bytes } - residues.reduce(0) { $0 + $1.bytes }
    }

    /// The share of the kernel's figure that call stacks hold, including freed blocks; `nil` without growth.
    ///
    /// It exceeds 1 where the estimates of small blocks are too large.
    package var stackShare: Double? { share { _ in true } }

    /// The part of ``stackShare`` that was freed and kept by the allocator.
    package var freedShare: Double? { share { $0.state == .freed } }

    private func share(of isCounted: (Holder) -> Bool) -> Double? {
        guard explainedPeak > 0 else { return nil }
        // Summed as `Double`, since sizes of an edited document could overflow.
        return holders.reduce(0) { $0 + (isCounted($1) ? Double($1.bytes) : 0) } / Double(explainedPeak)
    }

    /// Keys that are written for readers of the document and not decoded.
    private enum DerivedKeys: String, CodingKey { case stackShare }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(subject, forKey: .subject)
        try container.encodeIfPresent(process, forKey: .process)
        try container.encode(allocator, forKey: .allocator)
        try container.encode(explainedPeak, forKey: .explainedPeak)
        try container.encodeIfPresent(plainPeak, forKey: .plainPeak)
        try container.encodeIfPresent(tree, forKey: .tree)
        try container.encode(frames, forKey: .frames)
        try container.encode(holders, forKey: .holders)
        try container.encode(residues, forKey: .residues)
        try container.encode(recorder, forKey: .recorder)
        var derived = encoder.container(keyedBy: DerivedKeys.self)
        try derived.encodeIfPresent(stackShare, forKey: .stackShare)
    }

    package struct Process: Codable, Hashable, Sendable {
        package var identifier: Int
        /// At most 15 bytes, chosen by the program.
        package var name: String

        /// The process as text: `4711 (python3)`; a name of 15 bytes may have been cut by the kernel.
        package var text: String { "\(identifier) (\(name)\(name.utf8.count < 15 ? "" : "…"))" }
    }

    package struct RecorderAccount: Codable, Hashable, Sendable {
        /// The recorder's own memory, which is excluded from all figures.
        package var ownBytes: Int
        package var allocationCount: Int
        package var stackCount: Int
        package var captureCount: Int
        /// The number of blocks that did not fit into its tables.
        package var lostCount: Int
        /// The time spent on walking stacks and capturing.
        package var nanoseconds: Int
        /// True if rows may count memory that was read and never written, else `nil`.
        package var mayCountZeros: Bool?
        /// True if the process ended without the recorder, such as by a signal, else `nil`: the rows are those of its last look.
        package var wasCutOff: Bool?

        package init(
            ownBytes: Int, allocationCount: Int, stackCount: Int, captureCount: Int, lostCount: Int, nanoseconds: Int
        ) {
            (self.ownBytes, self.allocationCount) = (ownBytes, allocationCount)
            (self.stackCount, self.captureCount) = (stackCount, captureCount)
            (self.lostCount, self.nanoseconds) = (lostCount, nanoseconds)
        }
    }
}

package struct HolderFrame: Codable, Hashable, Sendable {
    /// The demangled function, or `module+0x1234` without a symbol.
    package var function: String
    /// The file name of its program or library.
    package var module: String
    package var file: String?
    package var line: Int?
    package var isInlined: Bool
    package var isSystem: Bool

    package init(
        function: String, module: String, file: String? = nil, line: Int? = nil, isInlined: Bool = false,
        isSystem: Bool = false
    ) {
        (self.function, self.module, self.file, self.line) = (function, module, file, line)
        (self.isInlined, self.isSystem) = (isInlined, isSystem)
    }
}

/// A call stack with the bytes that it holds at the peak.
package struct Holder: Codable, Hashable, Sendable {
    /// Indices in ``HolderProfile/frames``, from the function that allocated to the start of the thread.
    package var stack: [Int]
    /// Resident bytes at the peak, less those at the mark.
    package var bytes: Int
    package var blockCount: Int
    /// True if it is scaled up from samples of small blocks.
    package var isEstimate: Bool
    package var state: State

    /// The reason why the bytes are resident.
    package enum State: String, Codable, Hashable, Sendable {
        case live
        /// `realloc` copied from the block while both existed.
        case reallocated
        /// The block was freed, and the allocator has kept its memory.
        case freed
    }

    package init(
        stack: [Int], bytes: Int, blockCount: Int, isEstimate: Bool = false, state: State = .live
    ) {
        (self.stack, self.bytes, self.blockCount) = (stack, bytes, blockCount)
        (self.isEstimate, self.state) = (isEstimate, state)
    }
}

/// Memory without a call stack.
package struct Residue: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Pages of the heap without a recorded block: small free lists, fragmentation, the allocator's tables.
        case allocator
        /// Stacks of threads with their thread-local data.
        case stacks
        /// Pages of mapped files, including programs and libraries.
        case files
        /// Data of programs and libraries that was written to, including the loader's relocations.
        case programData = "program_data"
        /// Anonymous and shared mappings whose creation was not recorded.
        case mappings
    }

    package var kind: Kind
    /// The source, such as the name of a file; `nil` for all of the kind.
    package var name: String?
    /// Resident bytes at the peak, less those at the mark.
    package var bytes: Int

    package init(_ kind: Kind, name: String? = nil, bytes: Int) {
        (self.kind, self.name, self.bytes) = (kind, name, bytes)
    }
}

/// Invariants that drawing and comparing rely on, and that an edited document may break.
extension HolderProfile {
    /// True if the version is known, every stack's frames exist, and no sum of sizes can overflow.
    package var isWellFormed: Bool {
        version == Self.currentVersion && holders.allSatisfy { $0.stack.allSatisfy(frames.indices.contains) }
            // Larger sums could overflow and are not exact in JSON.
            && sumOfMagnitudes < 0x1p53
            // Formats store lines in 32 bits.
            && frames.allSatisfy { (0...Int(Int32.max)).contains($0.line ?? 0) }
    }

    /// The sum of the magnitudes of all sizes, counts and times: an upper bound of any partial sum.
    private var sumOfMagnitudes: Double {
        let whole = [
            explainedPeak, plainPeak ?? 0, recorder.ownBytes, recorder.allocationCount, recorder.stackCount,
            recorder.captureCount, recorder.lostCount, recorder.nanoseconds,
        ]
        let rows = holders.flatMap { [$0.bytes, $0.blockCount] } + residues.map(\.bytes)
        return (whole + rows).reduce(0) { $0 + Double($1.magnitude) }
    }
}
