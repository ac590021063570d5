// SPDX-License-Identifier: Apache-2.0

import Texts

package enum ProfileRemarks {
    /// The tolerated share by which the peaks with and without the recorder differ.
    private static let tolerance = 0.05
    /// The share of all processes' memory from which one of them stands for all.
    private static let mostOfAll = 0.9
    /// The tolerated difference between two trials of the same program, in bytes.
    private static let floor = 256 << 10

    static func remarks(on profile: HolderProfile) -> [String] {
        let recorder = profile.recorder
        let process = profile.process.map { " The process that is explained is \($0.text)." } ?? ""
        let cost =
            "The recorder saw \(recorder.allocationCount) allocations, walked \(recorder.stackCount) stacks and looked "
            + "at all blocks \(recorder.captureCount) times in \(ProfileFacts.seconds(recorder.nanoseconds)); "
            + "its own \(SizeText.text(recorder.ownBytes)) are in no row."
        let headline = headline(of: profile) ?? "Nothing has grown, so that there is nothing to explain."
        return [headline + process, cost] + [missingNames(in: profile), missingCallers(in: profile)].compactMap(\.self)
    }

    /// Returns how to get the name or the line of the largest holder; `nil` if it has both.
    private static func missingNames(in profile: HolderProfile) -> String? {
        guard let stack = profile.holders.first?.stack.map({ profile.frames[$0] }),
            let own = stack.first(where: { !$0.isSystem && !$0.module.isEmpty }), own.line == nil
        else { return nil }
        guard own.function.hasPrefix(own.module + "+0x") else {
            return "Line numbers of \(own.module) are missing: build it with debugging information (-g)."
        }
        return "Function names of \(own.module) are missing: it is stripped, or llvm-symbolizer is not installed "
            + "(see `fetchbench doctor`)."
    }

    /// Returns why the largest holder's callers are missing; `nil` if they are not: a stack ends in the start of the program
    /// or of a thread, which is the system's.
    private static func missingCallers(in profile: HolderProfile) -> String? {
        guard let last = profile.holders.first?.stack.last.map({ profile.frames[$0] }), !last.isSystem,
            !last.module.isEmpty, last.function != "main", !last.function.hasPrefix(last.module + "+0x")
        else { return nil }
        return
            "The callers of \(FunctionName(last.function).labelled) are missing: \(last.module) has no unwind tables "
            + "(-fasynchronous-unwind-tables)."
    }

    /// Returns the share that call stacks hold, as a sentence; `nil` without growth.
    ///
    /// The share in all rows would say nothing: the allocator's row is the remainder.
    package static func headline(of profile: HolderProfile) -> String? {
        guard let share = profile.stackShare, let freed = profile.freedShare else { return nil }
        let kept = freed > 0.0005 ? ", \(percent(freed)) freed and kept by the allocator among it" : ""
        return "Call stacks hold \(percent(share)) of the figure\(kept)."
    }

    private static func percent(_ share: Double) -> String { ByteText.fixed(share * 100, places: 1) + " %" }

    package static func warnings(on profile: HolderProfile) -> [String] {
        var warnings: [String] = []
        let isWhole = profile.recorder.wasCutOff != true
        if isWhole, let plain = profile.plainPeak, isApart(plain, profile.explainedPeak) {
            warnings.append(
                "the process that is explained reached \(SizeText.precise(profile.explainedPeak)), and \(SizeText.precise(plain)) "
                    + "without the recorder: they are more than 5 % apart, so the rows may not describe the plain run.")
        }
        if let tree = profile.tree, Double(profile.explainedPeak) < mostOfAll * Double(tree.bytes) {
            warnings.append(
                "the rows are those of one process; \(tree.processes) processes held \(SizeText.text(tree.bytes)) together."
            )
        }
        if profile.recorder.lostCount > 0 {
            warnings.append(
                "\(profile.recorder.lostCount) blocks did not fit into the recorder's tables; their memory is "
                    + "included in what the allocator keeps.")
        }
        if !isWhole {
            warnings.append(
                "the process ended without the recorder, such as by a kill or by a raw system call: the rows are those of its "
                    + "last look, and memory that came after it is in none.")
        }
        if profile.recorder.mayCountZeros == true {
            warnings.append(
                "this kernel, before Linux 6.7, does not tell memory that was only read from memory that is shared with "
                    + "the other side of a fork: rows may count pages that hold nothing.")
        }
        return warnings + remainders(of: profile)
    }

    /// Returns warnings about remainders that are large or negative.
    private static func remainders(of profile: HolderProfile) -> [String] {
        let kept = profile.residues.reduce(0) { $0 + ($1.kind == .allocator ? $1.bytes : 0) }
        let others = profile.residues.reduce(into: [Residue.Kind: Int]()) { sums, residue in
            if residue.kind != .allocator { sums[residue.kind, default: 0] += residue.bytes }
        }
        let largest = max(HolderTable.Group.groups(of: profile).first?.bytes ?? 0, others.values.max() ?? 0)
        let slack = max(floor, profile.explainedPeak / 100)
        return [("kept by the allocator", kept), ("unattributed", profile.unattributed)].compactMap { name, bytes in
            if bytes < -slack {
                return "The rows other than *\(name)* add up to \(SizeText.text(-bytes)) more than the kernel's figure."
            }
            guard bytes > max(slack, largest) else { return nil }
            return "*\(name)*, the remainder, is the largest row: no call stack explains its \(SizeText.text(bytes))."
        }
    }

    private static func isApart(_ plain: Int, _ explained: Int) -> Bool {
        Double((plain - explained).magnitude) > max(Double(floor), tolerance * Double(plain.magnitude))
    }
}
