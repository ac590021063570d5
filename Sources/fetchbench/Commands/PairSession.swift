// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import Glibc
import MemProbe
import Statistics

/// One interleaved comparison from its plan to its judgement.
struct PairSession: Sendable {
    /// Where its trials are stored.
    let folder: RunFolder
    private let subject: CompareCommand.Subject
    private let request: PlanRequest
    private let headPrograms: TrialPrograms
    private let plan: Plan
    private let environment: MachineEnvironment
    private let isQuiet: Bool
    private let planted: PlantedBallast

    /// Prepares a comparison: everything that can fail early fails here.
    init(
        _ subject: CompareCommand.Subject, request: PlanRequest, headPrograms: TrialPrograms? = nil, output: String,
        label: String? = nil, isQuiet: Bool, planted: PlantedBallast = PlantedBallast()
    ) async throws {
        self.subject = subject
        self.request = request
        self.headPrograms = request.ordered(headPrograms ?? request.programs)
        self.isQuiet = isQuiet
        self.planted = planted
        plan = try await request.plan()
        let revision = await SourceRevision.current()
        folder = try RunFolder.create(
            named: "\(Surroundings.now().compact)-\(SourceRevision.runSuffix(of: revision))-compare",
            in: output)
        do {
            try Preflight.checkRoom(
                for: plan, results: folder.path, temporaryDirectory: Surroundings.temporaryDirectory)
        } catch {
            rmdir(folder.path)
            throw error
        }
        environment = EnvironmentProbe.environment(
            temporaryDirectory: Surroundings.temporaryDirectory, commit: revision?.commit,
            hasUncommittedChanges: revision?.hasUncommittedChanges, label: label)
    }

    /// The cases that are compared: all but the null case.
    var cells: [Case] { plan.cases.filter { $0.mode != Case.nullMode } }

    /// Does the trials and judges them.
    func judgement() async throws -> Judgement {
        let judge = CaseJudge(rule: .interleaved, seed: plan.seed, noise: request.noise)
        let judged = try await measured { surroundings, progress in
            try await InterleavedComparison(
                base: candidate(.base, surroundings), head: candidate(.head, surroundings), folder: folder,
                judge: judge
            ).run { progress.show($0) }
        }
        return Judgement(
            tool: BuildInformation.tool, kind: .interleaved, baseName: name(of: .base), headName: name(of: .head),
            judgedAt: Surroundings.now().text, seed: plan.seed, findings: reproduction.added(to: judged.findings),
            warnings: judged.warnings,
            environment: environment)
    }

    /// Does so many pairs of every case, after one that is thrown away, and judges nothing.
    func pairs(count: Int) async throws -> [Case: PairedTrials] {
        try await measured { surroundings, progress in
            let base = candidate(.base, surroundings)
            var head = candidate(.head, surroundings)
            if case .copy = subject {
                head.surroundings.programs = try surroundings.programs.copied(to: surroundings.temporaryDirectory)
            }
            let runner = try PairedRunner(
                base: (base.plan, base.surroundings), head: (head.plan, head.surroundings), folder: folder)
            _ = try await runner.pairs(of: cells, count: 1, stage: .warmup) { progress.show($0) }
            return try await runner.pairs(of: cells, count: count, stage: .screening) { progress.show($0) }
        }
    }

    private func measured<Result: Sendable>(
        _ work: @escaping @Sendable (TrialSurroundings, PairProgress) async throws -> Result
    ) async throws -> Result {
        let progress = PairProgress(isDrawn: !isQuiet && Console.drawsProgress, isQuiet: isQuiet)
        defer { progress.finish() }
        do {
            return try await Interrupt.whileListening {
                try await TrialHost(plan, url: request.url, commands: request.commands, programs: request.programs)
                    .run { try await work($0, progress) }
            }
        } catch is CancellationError {
            progress.finish()
            Console.note("interrupted; the finished trials are in \(folder.path)")
            throw ExitStatus.interrupted
        } catch {
            progress.finish()
            Console.complain("the comparison stopped: \((error as? FetchBenchError)?.explanation ?? "\(error)")")
            Console.note("the finished trials are in \(folder.path)")
            throw ExitStatus.noAnswer
        }
    }

    private func candidate(_ side: Side, _ surroundings: TrialSurroundings) -> InterleavedComparison.Candidate {
        var plan = plan
        var surroundings = surroundings
        if side == .head { surroundings.planted = planted }
        switch subject {
        case .runs, .itself, .copy: break
        case .commands(let base, let head):
            let command = side == .base ? base : head
            plan.commands = [Surroundings.redaction.command(command)]
            surroundings.commands = [command.name: command]
        case .binaries: if side == .head { surroundings.programs = headPrograms }
        }
        return InterleavedComparison.Candidate(name: name(of: side), plan: plan, surroundings: surroundings)
    }

    /// The paths of two binaries are the user's own and stay out of what is stored.
    private var reproduction: Reproduction {
        guard case .commands(let base, let head) = subject else {
            return Reproduction(
                beginning: ["compare", "--base", "BASE", "--head", "HEAD"], plan: plan, commands: request.commands,
                programs: request.programPaths)
        }
        let words = [
            "compare", "--base-exec", PlanFlags.word(base.command), "--head-exec", PlanFlags.word(head.command),
        ]
        return Reproduction(beginning: words, plan: plan, commands: request.commands, namesModes: true)
    }

    private func name(of side: Side) -> String {
        switch subject {
        case .runs(let base, let head): side == .base ? base : head
        case .commands(let base, let head): Surroundings.redaction.text(side == .base ? base.command : head.command)
        case .binaries, .itself, .copy: side.rawValue
        }
    }
}
