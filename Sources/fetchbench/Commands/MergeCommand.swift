// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Glibc
import Judging
import Reports

/// `fetchbench merge`: puts the shards of a plan together.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Put the shards of a plan together into one run.",
        discussion: """
            fetchbench merge shards/* --output results/merged

            Trials are copied as they are, in the order of the plan. Shards of another plan or build and trials that differ \
            between two shards are refused. Merging merged runs, in any order, or a shard twice gives the same run. A comparison is \
            judged here, host by host, and a check by its budgets and --baseline, without confirming trials.

            Exit status: 0 complete; 1 regressed or over a budget; 2 trials are missing or failed, or shards do not belong together; 64 usage error.
            """)

    @Argument(
        help: ArgumentHelp("Folders of the shards, or of runs merged before.", valueName: "run"),
        completion: .directory)
    var folders: [String]

    @Option(
        help: ArgumentHelp("Folder for the merged run; it must not exist yet (required).", valueName: "folder"),
        completion: .directory)
    var output: String

    @OptionGroup
    var format: FormatOptions<JudgementFormats>

    @Option(
        help: ArgumentHelp(
            "Stored baseline that a merged check is also judged by (default: none, its budgets alone).",
            valueName: "file"),
        completion: .file())
    var baseline: String?

    @Flag(help: "Compare even if the baseline's environment differs from that of a host (noted in the report).")
    var allowMismatch = false

    @Flag(help: "Print only the summary and errors.")
    var quiet = false

    @OptionGroup var color: ColorOptions

    /// The number of trials up to which reports are made; of more, they would not fit into memory.
    private static let mostReported = 20_000

    func validate() throws { try Usage.checkFolder(output) }

    func run() async throws {
        // Before anything is merged, so that a mistake in it is known at once.
        let choice = try baseline.map {
            try BaselineChoice(named: $0, isReplaced: false, hasBudgets: false)
        }
        let (merge, folder) = try await interruptible(
            "merging", isShown: !quiet, remark: "nothing is merged, and the shards are as they were"
        ) { _ in try merged() }
        let incomplete = Self.complaints(about: merge)
        guard merge.trialCount <= Self.mostReported else {
            Console.note("\(merge.trialCount) trials are merged in \(folder.path): too many for a report in memory")
            incomplete.forEach(Console.complain)
            // A verdict would need them all at once: none must not look like a good one.
            if merge.record.kind != .run {
                Console.complain("too many trials to judge in memory; judge fewer cases at a time")
            }
            if !incomplete.isEmpty || merge.record.kind != .run { throw ExitCode.noAnswer }
            return
        }
        let report = try reported(merge.record, in: folder)
        let run = report.run
        incomplete.forEach(Console.complain)
        if !incomplete.isEmpty { throw ExitCode.noAnswer }
        switch run.kind {
        case .comparison, .calibration: return try deliver(pairsJudged(run, in: folder), in: folder)
        case .check: return try deliver(checkJudged(run, choice, in: folder), in: folder)
        case .run, .survival: break
        }
        let delivery = RunDelivery(isQuiet: quiet, showsProgress: false, formats: [], color: color.color)
        try delivery.concludeBudgets(of: run)
        try delivery.conclude(report)
    }

    /// Merges the shards into the new folder, which is gone again if that fails: all of it is in the shards.
    private func merged() throws -> (ShardMerge, RunFolder) {
        // A shell passes on a pattern that matches nothing.
        if let pattern = folders.first(where: { $0.contains("*") && access($0, F_OK) != 0 }) {
            throw ValidationError("no shard is named \(SafeText.forTerminal(pattern)); give the folders of shards")
        }
        var merge = try ShardMerge(of: folders.map { RunFolder(existing: $0) }, at: HarnessContext.here.now())
        try checkFlags(for: merge.record.kind)
        let place = RunFolder(existing: output)
        let folder = try RunFolder.create(new: place.name, in: place.parent)
        do {
            try merge.write(to: folder)
        } catch {
            folder.discard()
            throw error
        }
        return (merge, folder)
    }

    private func checkFlags(for kind: RunRecord.Kind) throws {
        if kind != .check, baseline != nil || allowMismatch {
            throw ValidationError(
                "--baseline and --allow-mismatch need shards of a check: these are of a \(kind.command)")
        }
        if kind == .run, format.words != ["table"] {
            throw ValidationError(
                "--format needs shards of a check or comparison; use `fetchbench report` for other formats of a run")
        }
    }

    /// Writes the reports of a merged run, and prints its table.
    private func reported(_ record: RunRecord, in folder: RunFolder) throws -> Report {
        let run = record.completed(from: try RunStore.load(folder).trials, finishedAt: record.finishedAt)
        try RunStore.write(run, to: folder)
        let report = try Report(run, in: folder)
        try folder.write(report, drawnBy: run.kind.isPaired ? Formats.ofPairs : Formats.ofRuns)
        if !run.trials.isEmpty, run.kind == .run {
            try Console.answer(Formats.runTable.pieces(of: report), in: color.color.of(Formats.runTable.name))
        }
        if !quiet, run.kind == .run { Console.note(resultIn: folder) }
        return report
    }

    private func pairsJudged(_ run: RunRecord, in folder: RunFolder) throws -> Judgement {
        let harness = HarnessContext.here
        let findings = MergedComparison(run).findings + (try BudgetJudge.findings(ofHead: run))
        return Judgement(
            .sharded, of: run, in: folder,
            findings: Reproduction.pairs(stored: run, redaction: harness.shellRedaction).added(to: findings),
            warnings: run.warnings, tool: BuildInformation.tool, at: harness.now())
    }

    private func checkJudged(_ run: RunRecord, _ choice: BaselineChoice?, in folder: RunFolder) throws -> Judgement {
        var findings = try BudgetJudge.findings(for: run.parsedBudgets(), in: run).map(\.finding)
        var warnings = run.warnings
        if let baseline = choice?.baseline {
            let comparison = BaselineComparison(
                baseline: baseline, run: run, allowsMismatch: allowMismatch, judge: .ofStoredBaseline(run))
            findings += comparison.findings(confirmedBy: nil)
            warnings += comparison.warnings
        }
        let harness = HarnessContext.here
        return Judgement(
            .check, of: run, in: folder, against: choice?.baseline.map { $0.commit ?? "baseline" } ?? "budgets",
            findings: Reproduction.run(stored: run, redaction: harness.shellRedaction).added(to: findings),
            warnings: warnings, tool: BuildInformation.tool, at: harness.now())
    }

    /// Stores and prints a judgement, and ends with its exit status.
    private func deliver(_ judgement: Judgement, in folder: RunFolder) throws {
        try VerdictDelivery(
            formats: format.formats, folder: folder, isQuiet: quiet, color: color.color
        ).deliver(judgement)
    }

    private static func complaints(about merge: ShardMerge) -> [String] {
        guard let sharding = merge.record.sharding else { return [] }
        return merge.missing.sorted { $0.key < $1.key }.map { number, count in
            let shard = Shard(number, of: sharding.count)
            return "shard \(shard) lacks \(count) trials. To measure them: \(merge.record.reproduce) --shard \(shard)"
        }
    }
}
