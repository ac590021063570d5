// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit
import Foundation
import MemProbe

/// `fetchbench compare`: two stored runs, or two builds interleaved on this machine.
struct CompareCommand: AsyncParsableCommand, PlannedCommand {
    /// What is compared.
    enum Subject: Sendable {
        case runs(String, String)
        case commands(base: ExternalCommand, head: ExternalCommand)
        case binaries(base: String, head: String)
        case itself
        case copy
    }

    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two stored runs, or two builds interleaved pair by pair on this machine.",
        discussion: """
            fetchbench compare results/A results/B
            fetchbench compare --base ./old/fetchbench --head ./new/fetchbench --asset hero --mode data,download
            fetchbench compare --base-exec 'old {url} {file}' --head-exec 'new {url} {file}' --asset 64MiB

            Interleaved: 12 pairs in random order; what looks changed is judged on 30 fresh pairs.
            Exit status: 0 nothing worse, 1 regressed, 2 no answer, 64 wrong usage, 130 interrupted.
            """)

    @Argument(help: ArgumentHelp("The folders of two runs, the base first.", valueName: "run"))
    var runs: [String] = []

    @Option(help: ArgumentHelp("A fetchbench binary to compare with, its trial programs beside it.", valueName: "path"))
    var base: String?

    @Option(
        help: ArgumentHelp("The fetchbench binary that is judged, with its trial programs.", valueName: "path"))
    var head: String?

    @Option(help: ArgumentHelp("A command to compare with.", valueName: "command"))
    var baseExec: String?

    @Option(help: ArgumentHelp("The command that is judged.", valueName: "command"))
    var headExec: String?

    @Option(
        help: ArgumentHelp(
            "Hold this much more in the head's fetches, in those of one mode, or from the start on, to show that it is seen.",
            valueName: "[mode=|start=]size", visibility: .hidden))
    var plant: [String] = []

    @Flag(help: "Compare stored runs even where their environments differ; the report says so.")
    var allowMismatch = false

    @OptionGroup(title: "What to measure")
    var plan: PlanOptions

    @OptionGroup(title: "What to say")
    var verdict: VerdictOptions

    func validate() throws {
        guard PlantedBallast(parsing: plant) != nil else {
            throw ValidationError("--plant: give a size such as 1MiB, download=1MiB or start=1MiB")
        }
        switch try subject() {
        case .itself, .copy: break
        case .runs:
            guard plan.isEmpty else {
                throw ValidationError("stored runs are compared as they are; no plan goes with them")
            }
        case .commands:
            guard plan.modes.isEmpty, plan.commands.isEmpty else {
                throw ValidationError("--base-exec and --head-exec are the modes; --mode and --exec exclude them")
            }
        case .binaries: break
        }
    }

    func checkPlan(_ programs: TrialPrograms) throws {
        if runs.isEmpty { _ = try PlanRequest(pairedPlan(), programs) }
    }

    func run() async throws {
        let sides = try await programs()
        let judgement: Judgement
        let folder: RunFolder?
        if case .runs(let base, let head) = try subject() {
            judgement = try stored(base: base, head: head)
            folder = nil
        } else {
            let session = try await PairSession(
                subject(), request: PlanRequest(pairedPlan(), sides.base), headPrograms: sides.head,
                output: verdict.output, label: verdict.label,
                isQuiet: verdict.quiet, planted: PlantedBallast(parsing: plant) ?? PlantedBallast())
            judgement = try await session.judgement()
            folder = session.folder
        }
        try VerdictDelivery(options: verdict, folder: folder).deliver(judgement)
    }

    /// The trial programs of both sides: those beside each binary, of which one may be meant.
    private func programs() async throws -> (base: TrialPrograms, head: TrialPrograms) {
        switch try subject() {
        case .runs: return (TrialPrograms(executables: []), TrialPrograms(executables: []))
        case .binaries(let base, let head): return (try await programs(beside: base), try await programs(beside: head))
        case .commands, .itself, .copy:
            let own = try await plan.programs()
            return (own, own)
        }
    }

    private func programs(beside path: String) async throws -> TrialPrograms {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError("'\(SafeText.forTerminal(path))' is no program that can be run")
        }
        let programs = try await Surroundings.programs(named: plan.program, beside: AbsolutePath.of(path))
        guard !programs.executables.isEmpty else {
            throw ValidationError(
                "there is no trial program beside '\(SafeText.forTerminal(path))'; `swift build -c release` builds them"
            )
        }
        return programs
    }

    private func stored(base: String, head: String) throws -> Judgement {
        let base = try RunStore.load(RunFolder(existing: base))
        let head = try RunStore.load(RunFolder(existing: head))
        var judgement = StoredComparison(base: base, head: head, allowsMismatch: allowMismatch)
            .judgement(tool: BuildInformation.tool, at: Surroundings.now().text)
        judgement.findings = Reproduction.run(stored: head).added(to: judgement.findings)
        return judgement
    }

    /// The plan of both sides; commands take the place of modes.
    private func pairedPlan() throws -> PlanOptions {
        guard case .commands(_, let head) = try subject() else { return plan }
        var plan = plan
        plan.commands = ["\(head.name)=\(head.command)"]
        return plan
    }

    private func subject() throws -> Subject {
        let ways = [!runs.isEmpty, base != nil || head != nil, baseExec != nil || headExec != nil]
        guard ways.count(where: { $0 }) == 1 else {
            throw ValidationError("give two runs, or --base and --head, or --base-exec and --head-exec")
        }
        if !runs.isEmpty {
            guard runs.count == 2 else { throw ValidationError("two runs are compared, not \(runs.count)") }
            return .runs(runs[0], runs[1])
        }
        if let base, let head { return .binaries(base: base, head: head) }
        if let baseExec, let headExec {
            return .commands(base: try command(baseExec), head: try command(headExec))
        }
        throw ValidationError("both sides are needed: --base and --head, or --base-exec and --head-exec")
    }

    /// Both sides bear one name: they are the same case.
    private func command(_ text: String) throws -> ExternalCommand {
        do throws(CommandMistake) {
            return try ExternalCommand(parsing: "command=" + text)
        } catch {
            throw ValidationError("'\(SafeText.forTerminal(text))': \(error.explanation)")
        }
    }
}
