// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Statistics

/// A session of pairs: two builds or commands on one machine, or one build against itself.
package struct PairedSession: Sendable {
    package enum Sides: Sendable {
        /// Two commands, which take the place of the plan's only mode.
        case commands(base: ExternalCommand, head: ExternalCommand)
        /// The trial programs of two builds of this project, or two named programs of the user.
        case programs(base: TrialPrograms, head: TrialPrograms, areNamed: Bool = false)
        case itself
        /// The same programs and copies of their files.
        case copy

        var isCopy: Bool {
            if case .copy = self { true } else { false }
        }

        /// Returns the sides with the program of the plan's first mode first: the null case runs in it.
        package func ordered(for plan: Plan) -> Sides {
            guard case .programs(let base, let head, let areNamed) = self else { return self }
            let first = plan.firstMode
            return .programs(
                base: base.puttingFirst(programOf: first), head: head.puttingFirst(programOf: first), areNamed: areNamed
            )
        }
    }

    package let session: Session
    let subjects: TrialHost.Subjects
    let harness: HarnessContext
    private let sides: Sides
    private let planted: PlantedBallast

    /// Begins a session with a number of pairs for each case.
    ///
    /// Trials of the head hold the `planted` memory on purpose.
    package static func begun(
        _ kind: RunRecord.Kind, _ sides: Sides, of request: PlanRequest, _ plan: Plan, pairs: Int,
        planted: PlantedBallast = PlantedBallast(), to destination: Session.Destination, in harness: HarnessContext
    ) async throws(FetchBenchError) -> PairedSession {
        var plan = plan
        plan.trials = pairs
        var counterpart: TrialPrograms?
        if case .programs(_, let head, _) = sides {
            try head.check(plan)
            counterpart = head
        }
        let session = try await Session.begun(
            kind, of: request, plan,
            comparison: comparison(of: sides, subjects: request.subjects, plan: plan, harness.redaction),
            counterpart: counterpart,
            reproduce: { flags in
                var flags = flags
                flags.leavesTrialsOut = true
                guard kind == .comparison else {
                    return flags.command(["calibrate", "--pairs", "\(pairs)"] + (sides.isCopy ? ["--copy"] : []))
                }
                if case .commands = sides { (flags.modes, flags.commands) = ([], []) }
                return flags.command(beginning(of: sides, harness.shellRedaction))
            },
            to: destination, in: harness)
        return PairedSession(session, sides, request.subjects, planted: planted, harness)
    }

    /// Resumes an interrupted session.
    /// - Throws: ``FetchBenchError/otherSides(name:side:)`` if a side has changed.
    package init(
        resuming session: Session, _ sides: Sides, _ subjects: TrialHost.Subjects,
        planted: PlantedBallast = PlantedBallast(), in harness: HarnessContext
    ) throws(FetchBenchError) {
        let now = Self.comparison(of: sides, subjects: subjects, plan: session.record.plan, harness.redaction)
        let then = session.record.comparison
        guard then?.base == now.base else { throw .otherSides(name: session.folder.name, side: .base) }
        guard then?.head == now.head else { throw .otherSides(name: session.folder.name, side: .head) }
        self.init(session, sides, subjects, planted: planted, harness)
    }

    private init(
        _ session: Session, _ sides: Sides, _ subjects: TrialHost.Subjects, planted: PlantedBallast,
        _ harness: HarnessContext
    ) {
        self.session = session
        self.sides = sides
        self.subjects = subjects
        self.planted = planted
        self.harness = harness
    }

    package var cells: [Case] { session.record.plan.cases.filter { $0.mode != Case.nullMode } }

    /// Runs the trials and judges them.
    package func judged(
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        let judge = CaseJudge(
            rule: .interleaved, seed: session.record.plan.seed, noise: session.record.noise ?? NoiseFloors())
        return try await measured(onEvent) { runner in
            try await InterleavedComparison(of: cells, by: session.record.metrics, judge: judge).run {
                try await runner.pairs(of: $0, count: $1, stage: $2)
            }
        }
    }

    /// Runs the pairs of every case after one discarded pair, without judging them.
    package func pairs(
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) async throws -> [Case: PairedTrials] {
        try await measured(onEvent) { runner in
            _ = try await runner.pairs(of: cells, count: 1, stage: .warmup)
            return try await runner.pairs(of: cells, count: session.record.plan.trials, stage: .screening)
        }
    }

    /// Commands that measure one case of this comparison again, without the paths of the user's builds.
    package func reproduction(programs: [String]) -> Reproduction {
        var namesModes = false
        if case .commands = sides { namesModes = true }
        return Reproduction(
            beginning: Self.beginning(of: sides, harness.shellRedaction), plan: session.record.plan,
            commands: subjects.commands, redaction: harness.shellRedaction, programs: namesModes ? [] : programs,
            namesModes: namesModes)
    }

    /// The beginning of a command that compares the same sides again.
    private static func beginning(of sides: Sides, _ redaction: RedactedCommand) -> [String] {
        guard case .commands(let base, let head) = sides else { return ["compare"] + flags(of: sides) }
        return [
            "compare", "--base-exec", PlanFlags.word(base.command, redaction), "--head-exec",
            PlanFlags.word(head.command, redaction),
        ]
    }

    /// The flags of two builds, with placeholders for the user's own paths.
    private static func flags(of sides: Sides) -> [String] {
        if case .programs(_, _, true) = sides { return ["--base-program", "BASE", "--head-program", "HEAD"] }
        return ["--base", "BASE", "--head", "HEAD"]
    }

    /// The flags to repeat when the session is resumed.
    package var flagsToRepeat: [String] {
        switch sides {
        case .commands: ["--base-exec BASE --head-exec HEAD"]
        case .programs: [Self.flags(of: sides).joined(separator: " ")] + subjects.flagsToRepeat(of: session.record)
        case .itself: subjects.flagsToRepeat(of: session.record)
        case .copy: ["--copy"] + subjects.flagsToRepeat(of: session.record)
        }
    }

    private func measured<Value: Sendable>(
        _ onEvent: @escaping @Sendable (SessionEvent) -> Void,
        _ work: @escaping @Sendable (PairedRunner) async throws -> Value
    ) async throws -> Value {
        try await TrialHost(session.record.plan, subjects, in: harness).run { surroundings in
            let runner = try PairedRunner(
                session, base: arm(.base, surroundings), head: arm(.head, surroundings), onEvent: onEvent)
            return try await work(runner)
        }
    }

    /// The plan and context of the trials of a side.
    func arm(_ side: Side, _ surroundings: TrialSurroundings) throws -> TrialRecorder.Arm {
        var arm = TrialRecorder.Arm(plan: session.record.plan, surroundings: surroundings)
        if side == .head { arm.surroundings.planted = planted }
        switch sides {
        case .itself: break
        case .commands(let base, let head):
            let command = side == .base ? base : head
            arm.plan.commands = [harness.redaction.command(command)]
            arm.surroundings.commands = [command.name: command]
        case .programs(_, let head, _):
            if side == .head { arm.surroundings.programs = head }
        case .copy:
            if side == .head {
                arm.surroundings.programs = try surroundings.programs.copied(to: surroundings.temporaryDirectory)
            }
        }
        return arm
    }

    /// The sides in the form that a record stores.
    private static func comparison(
        of sides: Sides, subjects: TrialHost.Subjects, plan: Plan, _ redaction: RedactedCommand
    ) -> Comparison {
        func candidate(_ name: String, _ programs: TrialPrograms) -> Comparison.Candidate {
            Comparison.Candidate(name: name, programs: programs.files(for: plan.cases))
        }
        let base = Side.base.rawValue
        let head = Side.head.rawValue
        return switch sides {
        case .commands(let first, let second):
            Comparison(
                base: Comparison.Candidate(name: redaction.text(first.command), programs: []),
                head: Comparison.Candidate(name: redaction.text(second.command), programs: []))
        case .programs(let first, let second, _):
            Comparison(base: candidate(base, first), head: candidate(head, second))
        case .itself:
            Comparison(base: candidate(base, subjects.programs), head: candidate(head, subjects.programs))
        case .copy:
            Comparison(base: candidate(base, subjects.programs), head: candidate("copy", subjects.programs))
        }
    }
}
