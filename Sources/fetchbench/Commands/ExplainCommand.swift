// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Measuring
import OperatingSystem
import Profiles
import Reports
import Runs
import Texts

/// `fetchbench explain`: attributes the peak of each case to call stacks.
struct ExplainCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain who holds the peak of each case, by call stack, in extra trials.",
        discussion: """
            fetchbench explain --mode data --asset 64MiB
            fetchbench explain --exec 'wget=wget -q -O {file} {url}' --asset 8MiB
            fetchbench explain --mode download --asset 64MiB --against ./old/fetchbench

            Each case gets a plain trial and one in which a recorder stands in front of the allocator: that one is never a \
            measured one. Rows sum to the kernel's figure; what is in none is *unattributed*.
            Formats: \(ProfileFormats.all.map { "\($0.name) (\($0.summary))" }.joined(separator: "; ")).
            Tables are printed for any number of cases, other formats for one, and pprof into a folder alone; a difference is \
            drawn as \(ExplanationDelivery.ofDifferences.joined(separator: ", ")).
            Exit status: 0 explained, 2 something could not be (the rest is shown), 64 wrong usage, 130 interrupted.
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder of a run that was explained (`run --explain`): it is drawn, and nothing is measured.",
            valueName: "run"), completion: .directory)
    var stored: String?

    @Option(
        help: ArgumentHelp(
            "Show the difference to another build (the path of its fetchbench, or of a trial program in the place of the first --program) or to a run that was explained.",
            valueName: "build|run"), completion: .file())
    var against: String?

    @Option(
        help: ArgumentHelp("What to print or write, separated by commas.", valueName: "formats"),
        completion: .list(ProfileFormats.all.map { $0.name }))
    var format: [String] = ["table"]

    @Option(
        help: ArgumentHelp(
            "Write a file for each case and format into this folder, in the place of printing.", valueName: "folder"),
        completion: .directory)
    var output: String?

    @OptionGroup(title: "What to explain")
    var plan: PlanOptions

    @Flag(help: "Print nothing but the answer and errors.")
    var quiet = false

    var measures: Bool { stored == nil }

    func validate() throws {
        let formats = try formats()
        guard output != "" else { throw ValidationError("--output: give the folder for the files") }
        if output == nil {
            if let format = formats.first(where: { !$0.isText }) {
                throw ValidationError("--format \(format.name) is no text: name a folder with --output")
            }
            if let obstacle = ExplanationDelivery.obstacleToPrinting(1, as: formats) { throw ValidationError(obstacle) }
        }
        guard plan.settings.words[Setting.trials.flag] == nil else {
            throw ValidationError("--trials: each case is explained once, in two extra trials")
        }
        if stored != nil, !plan.isEmpty {
            throw ValidationError("a run that is stored is drawn as it is; no plan goes with it")
        }
        if against != nil, formats.contains(where: { !ExplanationDelivery.ofDifferences.contains($0.name) }) {
            throw ValidationError(
                "a difference is drawn as \(ExplanationDelivery.ofDifferences.joined(separator: " or "))")
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if stored == nil { _ = try plan.request(programs) }
    }

    func run() async throws {
        let delivery = ExplanationDelivery(
            formats: try formats(), output: output.map(HarnessContext.here.absolute), isQuiet: quiet)
        // Invalid arguments are reported before anything is measured.
        let base = try await base()
        let head = try await head()
        var isWhole = true
        if let base {
            isWhole = try delivery.deliver(base: base.entries, head: head.entries)
        } else if head.isOfComparison, try canBeCompared() {
            isWhole = try delivery.deliver(
                base: head.entries.filter { $0.side == .base }, head: head.entries.filter { $0.side == .head })
        } else {
            try delivery.deliver(head)
        }
        for entry in head.entries {
            if let obstacle = entry.obstacle { Console.complain("\(entry.cell) cannot be explained: \(obstacle)") }
        }
        guard isWhole, !head.entries.isEmpty, head.entries.allSatisfy({ $0.profile != nil }) else {
            throw ExitStatus.noAnswer
        }
    }

    /// Indicates whether the formats can show the difference of a comparison's sides.
    private func canBeCompared() throws -> Bool {
        try formats().allSatisfy { ExplanationDelivery.readable.contains($0.name) }
    }

    private func head() async throws -> ExplanationRecord {
        if let stored { return try RunStore.explanation(in: RunFolder(existing: stored)) }
        return try await measured(by: plan.programs())
    }

    /// The record of `--against`, or `nil` without that option.
    private func base() async throws -> ExplanationRecord? {
        guard let against else { return nil }
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: against, isDirectory: &isFolder) else {
            throw ValidationError(
                "--against: there is no '\(SafeText.forTerminal(against))'; name a fetchbench, a trial program or a run"
            )
        }
        if isFolder.boolValue {
            let record = try RunStore.explanation(in: RunFolder(existing: against))
            guard !record.isOfComparison else {
                throw ValidationError("--against: that is a comparison, which holds both sides; explain it alone")
            }
            return record
        }
        guard stored == nil else {
            throw ValidationError("--against: a run that is stored is compared with another one")
        }
        return try await measured(by: programs(of: against))
    }

    /// The programs of another build: those beside its fetchbench, or the build itself if it is a trial program.
    private func programs(of build: String) async throws -> TrialPrograms {
        let named = try plan.namedPrograms()
        let harness = HarnessContext.here
        if await harness.isTrialProgram(build) {
            return try await harness.programs(named: [build] + named.dropFirst())
        }
        return try await harness.programs(named: named, beside: build)
    }

    private func measured(by programs: TrialPrograms) async throws -> ExplanationRecord {
        let harness = HarnessContext.here
        let request = try plan.request(programs)
        let planned = try await request.announcedPlan(in: harness, showsProgress: !quiet)
        let count = PlanExplainer.cells(of: planned).count
        guard count > 0 else { throw ValidationError("there is nothing to explain: the null case fetches nothing") }
        if output == nil, let obstacle = ExplanationDelivery.obstacleToPrinting(count, as: try formats()) {
            throw ValidationError(obstacle)
        }
        let explainer = try PlanExplainer(planned, request.subjects, in: harness)
        let display = ProgressDisplay(.here(isShown: !quiet), "preparing")
        defer { display.finish() }
        do {
            return try await Interrupt.whileListening {
                try await explainer.record { display.began("explaining", $0, $1, of: $2) }
            }
        } catch is CancellationError {
            display.finish()
            Console.note("interrupted; nothing was explained")
            throw ExitStatus.interrupted
        }
    }

    private func formats() throws -> [ProfileFormat] {
        try Usage.formats(format, among: ProfileFormats.all) { $0.name }
    }
}
