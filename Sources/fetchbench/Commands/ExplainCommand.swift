// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Profiles
import Reports

/// `fetchbench explain`: attributes the peak of each case to call stacks.
struct ExplainCommand: AsyncParsableCommand, PlannedCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show which functions hold the memory at the peak, in extra trials.",
        discussion: """
            fetchbench explain --mode data --asset 64MiB
            fetchbench explain --exec 'wget=wget -q -O {file} {url}' --asset 8MiB
            fetchbench explain --mode download --asset 64MiB --against ./old/fetchbench

            Each case gets a plain trial and one with an allocation recorder, which is not counted as a measurement. Rows \
            sum to the kernel's figure; the rest is *unattributed*.
            Formats: \(ProfileFormats.all.map { "\($0.name) (\($0.summary))" }.joined(separator: "; ")). Tables can be \
            printed for several cases, other formats for one; pprof needs --output. Differences have the formats \
            \(ExplanationDelivery.ofDifferences.joined(separator: ", ")).

            Exit status: 0 explained; 2 partly or not explained; 64 usage error; 130 interrupted.
            """)

    @Argument(
        help: ArgumentHelp(
            "Folder of a run made with --explain; prints it without measuring.",
            valueName: "run"), completion: .directory)
    var stored: String?

    @Option(
        help: ArgumentHelp(
            "Show the difference to another build (its fetchbench, or a trial program in place of the first --program) or to a run made with --explain (default: none).",
            valueName: "build|run"), completion: .file())
    var against: String?

    @Option(
        help: ArgumentHelp("Output formats, separated by commas.", valueName: "formats"),
        completion: .list(ProfileFormats.all.map { $0.name }))
    var format: [String] = ["table"]

    @Option(
        help: ArgumentHelp(
            "Folder to write a file for each case and format to, instead of printing (default: none).",
            valueName: "folder"),
        completion: .directory)
    var output: String?

    @OptionGroup(title: "Plan options")
    var plan: PlanOptions

    @Flag(help: "Print only the result and errors.")
    var quiet = false

    var measures: Bool { stored == nil }

    func validate() throws {
        let formats = try formats()
        try Usage.checkFolder(output)
        if output == nil {
            if let format = formats.first(where: { !$0.isText }) {
                throw ValidationError("--format \(format.name) is binary: add --output FOLDER")
            }
            if let obstacle = ExplanationDelivery.obstacleToPrinting(1, as: formats) { throw ValidationError(obstacle) }
        }
        guard plan.settings.words[Setting.trials.flag] == nil else {
            throw ValidationError("omit --trials: each case is explained once, with two extra trials")
        }
        if stored != nil, !plan.isEmpty {
            throw ValidationError("plan options cannot be combined with a stored run")
        }
        if against != nil, formats.contains(where: { !ExplanationDelivery.ofDifferences.contains($0.name) }) {
            throw ValidationError(
                "invalid --format for a difference: expected \(ExplanationDelivery.ofDifferences.joined(separator: " or "))"
            )
        }
    }

    func namedPrograms() throws -> [String] { try plan.namedPrograms() }

    func checkPlan(_ programs: TrialPrograms) throws {
        if stored == nil { _ = try plan.request(programs) }
    }

    func run() async throws {
        let delivery = try delivery()
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
            throw ExitCode.noAnswer
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

    private func base() async throws -> ExplanationRecord? {
        guard let against else { return nil }
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: against, isDirectory: &isFolder) else {
            throw ValidationError(
                "--against '\(SafeText.forTerminal(against))' does not exist: expected a fetchbench, a trial program or a run"
            )
        }
        if isFolder.boolValue {
            let record = try RunStore.explanation(in: RunFolder(existing: against))
            guard !record.isOfComparison else {
                throw ValidationError("--against: a comparison has both sides already; explain it without --against")
            }
            return record
        }
        guard stored == nil else {
            throw ValidationError("--against: a stored run can only be compared with a stored run")
        }
        return try await measured(by: programs(of: against))
    }

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
        let count = planned.fetchingCases.count
        guard count > 0 else { throw ValidationError("nothing to explain: the null case does not fetch") }
        if output == nil, let obstacle = ExplanationDelivery.obstacleToPrinting(count, as: try formats()) {
            throw ValidationError(obstacle)
        }
        try delivery().checkNothingIsOverwritten(of: planned.fetchingCases.map(\.identifier))
        return try await interruptible("preparing", isShown: !quiet, remark: "nothing was explained") { display in
            try await planned.explained(request.inputs(in: harness)) { display.began("explaining", $0, $1, of: $2) }
        }
    }

    private func delivery() throws -> ExplanationDelivery {
        ExplanationDelivery(
            formats: try formats(), output: output.map(HarnessContext.here.absolute), isQuiet: quiet)
    }

    private func formats() throws -> [ProfileFormats.Format] {
        try Usage.formats(format, among: ProfileFormats.all) { $0.name }
    }
}
