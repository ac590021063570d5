// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit
import Foundation
import Holders
import Support

/// `fetchbench explain`: who holds the peak of each case, by call stack.
struct ExplainCommand: AsyncParsableCommand, PlannedCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain who holds the peak of each case, by call stack, in extra trials.",
        discussion: """
            fetchbench explain --mode data --asset 64MiB
            fetchbench explain --exec 'wget=wget -q -O {file} {url}' --asset 8MiB
            fetchbench explain --mode download --asset 64MiB --against ./old/fetchbench

            Each case gets a plain trial and one in which a recorder stands in front of the allocator: that one is never a
            measured one. Rows sum to the kernel's figure; what is in none is *unattributed*.
            Formats: \(ProfileFormats.all.map(\.name).joined(separator: ", ")).
            Exit status: 0 explained, 2 something could not be (the rest is shown), 64 wrong usage, 130 interrupted.
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder of a run that was explained (`run --explain`): it is drawn, and nothing is measured.",
            valueName: "run"))
    var stored: String?

    @Option(
        help: ArgumentHelp(
            "Show the difference to another build (the path of its fetchbench) or to a run that was explained.",
            valueName: "build|run"))
    var against: String?

    @Option(help: ArgumentHelp("What to print or write, separated by commas.", valueName: "formats"))
    var format: [String] = ["table"]

    @Option(
        help: ArgumentHelp(
            "Write a file for each case and format into this folder, in the place of printing.", valueName: "folder"))
    var output: String?

    @OptionGroup(title: "What to explain")
    var plan: PlanOptions

    @Flag(help: "Print nothing but the answer and errors.")
    var quiet = false

    func validate() throws {
        let formats = try formats()
        if output == nil, let format = formats.first(where: { !$0.isText }) {
            throw ValidationError("--format \(format.name) is no text: name a folder with --output")
        }
        if stored != nil, !plan.isEmpty {
            throw ValidationError("a run that is stored is drawn as it is; no plan goes with it")
        }
        if against != nil, formats.contains(where: { !Self.ofDifferences.contains($0.name) }) {
            throw ValidationError("a difference is drawn as \(Self.ofDifferences.joined(separator: " or "))")
        }
    }

    /// The formats that a difference can be drawn in.
    static let ofDifferences = ["table", "markdown", "json"]

    func checkPlan(_ programs: TrialPrograms) throws {
        if stored == nil { _ = try plan.request(programs) }
    }

    func run() async throws {
        let explained = try await explained()
        let delivery = ExplanationDelivery(formats: try formats(), output: output.map(AbsolutePath.of))
        if let base = try await base(of: explained) {
            try delivery.deliver(base: base, head: explained)
        } else {
            try delivery.deliver(explained)
        }
        for entry in explained.entries {
            if let obstacle = entry.obstacle { Console.complain("\(entry.cell) cannot be explained: \(obstacle)") }
        }
        guard explained.entries.allSatisfy({ $0.profile != nil }) else { throw ExitStatus.noAnswer }
    }

    private func explained() async throws -> ExplanationRecord {
        if let stored { return try RunStore.explanation(in: RunFolder(existing: stored)) }
        return try await measured(by: plan.programs())
    }

    /// What it is compared with, or `nil` where that was not asked.
    private func base(of head: ExplanationRecord) async throws -> ExplanationRecord? {
        guard let against else { return nil }
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: against, isDirectory: &isFolder) else {
            throw ValidationError(
                "--against: there is no '\(SafeText.forTerminal(against))'; name a fetchbench or a run")
        }
        if isFolder.boolValue { return try RunStore.explanation(in: RunFolder(existing: against)) }
        guard stored == nil else {
            throw ValidationError("--against: a run that is stored is compared with another one")
        }
        return try await measured(by: Surroundings.programs(named: plan.program, beside: AbsolutePath.of(against)))
    }

    private func measured(by programs: TrialPrograms) async throws -> ExplanationRecord {
        let harness = Surroundings.harness()
        let request = try plan.request(programs)
        let planned = try await request.announcedPlan(in: harness, showsProgress: !quiet)
        let explainer = try PlanExplainer(planned, request.subjects, in: harness)
        let display = ProgressDisplay(.here(isShown: !quiet), "preparing")
        defer { display.finish() }
        do {
            return try await Interrupt.whileListening {
                try await explainer.record { cell, position, count in
                    display.began(
                        ProgressBoard.Item(cell.identifier, group: "explaining", position: position, of: count))
                }
            }
        } catch is CancellationError {
            display.finish()
            Console.note("interrupted; nothing was explained")
            throw ExitStatus.interrupted
        }
    }

    private func formats() throws -> [ProfileFormat] {
        try Usage.checked {
            try WordList.resolve(
                WordList.words(of: "--format", format, orOf: nil), kind: "format", among: ProfileFormats.all,
                name: { $0.name })
        }
    }
}
