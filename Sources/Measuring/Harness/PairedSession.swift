// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// A session of pairs: two builds or commands on one machine, or one build against itself.
package struct PairedSession: Sendable {
    package enum Sides: Sendable {
        /// Two commands, which take the place of the plan's only mode.
        case commands(base: ExternalCommand, head: ExternalCommand)
        /// The trial programs of two builds of this project, or two named programs of the user.
        case programs(base: TrialPrograms, head: TrialPrograms, areNamed: Bool = false)
        case itself
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
    let inputs: TrialInputs
    private let sides: Sides
    private let planted: PlantedBallast

    private var harness: HarnessContext { inputs.harness }

    /// Begins a session with a number of pairs for each case.
    ///
    /// Trials of the head hold the `planted` memory on purpose.
    package static func begun(
        _ kind: RunRecord.Kind, _ sides: Sides, of request: PlanRequest, _ plan: Plan, pairs: Int,
        planted: PlantedBallast = PlantedBallast(), shard: Shard? = nil, to destination: Session.Destination,
        in harness: HarnessContext
    ) async throws -> PairedSession {
        var plan = plan
        plan.trials = pairs
        var counterpart: TrialPrograms?
        if case .programs(_, let head, _) = sides {
            try head.check(plan)
            counterpart = head
        }
        let inputs = request.inputs(in: harness)
        let session = try await Session.begun(
            kind, of: request, plan, comparison: try comparison(of: sides, inputs, plan, isSharded: shard != nil),
            counterpart: counterpart, shard: shard,
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
        return PairedSession(session, sides, inputs, planted: planted)
    }

    /// Resumes an interrupted session.
    /// - Throws: ``FetchBenchError/otherSides(name:side:)`` if a side has changed.
    package init(
        resuming session: Session, _ sides: Sides, _ inputs: TrialInputs, planted: PlantedBallast = PlantedBallast()
    ) throws {
        let now = try Self.comparison(
            of: sides, inputs, session.record.wholePlan, isSharded: session.record.sharding != nil)
        let then = session.record.comparison
        guard then?.base == now.base else { throw FetchBenchError.otherSides(name: session.folder.name, side: .base) }
        guard then?.head == now.head else { throw FetchBenchError.otherSides(name: session.folder.name, side: .head) }
        self.init(session, sides, inputs, planted: planted)
    }

    private init(_ session: Session, _ sides: Sides, _ inputs: TrialInputs, planted: PlantedBallast) {
        (self.session, self.sides, self.inputs) = (session, sides, inputs)
        self.planted = planted
    }

    package var cells: [Case] { session.record.plan.fetchingCases }

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

    /// Runs the blocks of pairs of a shard, which are judged when all shards are merged.
    package func measureBlocks(
        of sharding: Sharding, onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) async throws {
        try await measured(onEvent) { try await $0.blocks(of: sharding) }
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
            commands: inputs.commands, redaction: harness.shellRedaction, programs: namesModes ? [] : programs,
            namesModes: namesModes)
    }

    private static func beginning(of sides: Sides, _ redaction: RedactedCommand) -> [String] {
        guard case .commands(let base, let head) = sides else { return ["compare"] + flags(of: sides, redaction) }
        return [
            "compare", "--base-exec", PlanFlags.word(base.command, redaction), "--head-exec",
            PlanFlags.word(head.command, redaction),
        ]
    }

    /// The flags of two builds, with placeholders for their paths; named programs come first on their sides.
    private static func flags(of sides: Sides, _ redaction: RedactedCommand) -> [String] {
        guard case .programs(let base, let head, true) = sides, let base = base.executables.first,
            let head = head.executables.first
        else { return ["--base", "BASE", "--head", "HEAD"] }
        return [
            "--base-program", PlanFlags.word(base.path, redaction), "--head-program",
            PlanFlags.word(head.path, redaction),
        ]
    }

    package var flagsToRepeat: [String] {
        switch sides {
        case .commands: ["--base-exec BASE --head-exec HEAD"]
        case .programs:
            [Self.flags(of: sides, harness.shellRedaction).joined(separator: " ")]
                + inputs.flagsToRepeat(of: session.record)
        case .itself: inputs.flagsToRepeat(of: session.record)
        case .copy: ["--copy"] + inputs.flagsToRepeat(of: session.record)
        }
    }

    private func measured<Value: Sendable>(
        _ onEvent: @escaping @Sendable (SessionEvent) -> Void,
        _ work: @escaping @Sendable (TrialRunner) async throws -> Value
    ) async throws -> Value {
        try await inputs.hosted(for: session.record.plan) { inputs in
            let runner = try TrialRunner(
                session, [.base: self.inputs(of: .base, in: inputs), .head: self.inputs(of: .head, in: inputs)],
                onEvent: onEvent)
            return try await work(runner)
        }
    }

    func inputs(of side: Side, in inputs: TrialInputs) throws -> TrialInputs {
        var own = inputs
        if side == .head { own.planted = planted }
        switch sides {
        case .itself: break
        case .commands(let base, let head):
            let command = side == .base ? base : head
            own.commands = [command.name: command]
        case .programs(_, let head, _):
            if side == .head { own.programs = head }
        case .copy:
            if side == .head { own.programs = try inputs.programs.copied(to: inputs.place.folder) }
        }
        return own
    }

    private static func comparison(
        of sides: Sides, _ inputs: TrialInputs, _ plan: Plan, isSharded: Bool
    ) throws -> Comparison {
        let redaction = inputs.harness.redaction
        func candidate(_ name: String, _ programs: TrialPrograms) throws -> Comparison.Candidate {
            Comparison.Candidate(name: name, programs: try programs.files(for: plan.cases, hashed: isSharded))
        }
        func candidate(_ command: ExternalCommand) -> Comparison.Candidate {
            var own = inputs
            own.commands = [command.name: command]
            return Comparison.Candidate(
                name: redaction.text(command.command),
                programs: own.executables(of: plan, hashesAll: isSharded))
        }
        let base = Side.base.rawValue
        let head = Side.head.rawValue
        switch sides {
        case .commands(let first, let second):
            return Comparison(base: candidate(first), head: candidate(second))
        case .programs(let first, let second, _):
            return try Comparison(base: candidate(base, first), head: candidate(head, second))
        case .itself:
            return try Comparison(base: candidate(base, inputs.programs), head: candidate(head, inputs.programs))
        case .copy:
            return try Comparison(base: candidate(base, inputs.programs), head: candidate("copy", inputs.programs))
        }
    }
}

/// Memory that trials hold on purpose, to prove that a check detects it; none in real runs.
package struct PlantedBallast: Hashable, Sendable {
    /// The word for the start of a process, in place of a mode.
    static let start = "start"

    private var everywhere = ByteCount.zero
    private var modes: [String: ByteCount] = [:]
    /// Held from before the warm-up.
    package private(set) var atStart = ByteCount.zero

    package init() {}

    /// Parses `1MiB`, `download=256KiB` or `start=1MiB`; `nil` for any other text.
    package init?(parsing texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard let last = parts.last, let size = ByteCount(parsing: last) else { return nil }
            switch parts.count {
            case 1: everywhere = size
            case _ where parts[0] == Self.start: atStart = size
            default: modes[parts[0]] = size
            }
        }
    }

    func size(in mode: String) -> ByteCount { modes[mode] ?? everywhere }
}
