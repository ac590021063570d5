// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs

/// Two builds or commands that are compared on one machine, or one build against itself.
package struct Sides: Sendable {
    package enum Pair: Sendable {
        /// Two commands, which take the place of the plan's only mode.
        case commands(base: ExternalCommand, head: ExternalCommand)
        /// The trial programs of two builds of this project, or two named programs of the user.
        case programs(base: TrialPrograms, head: TrialPrograms, areNamed: Bool = false)
        case itself
        case copy
    }

    package let pair: Pair
    /// Memory that trials of the head hold on purpose.
    let planted: PlantedBallast

    package init(_ pair: Pair, planted: PlantedBallast = PlantedBallast()) {
        (self.pair, self.planted) = (pair, planted)
    }

    var counterpart: TrialPrograms? {
        if case .programs(_, let head, _) = pair { head } else { nil }
    }

    var areCommands: Bool {
        if case .commands = pair { true } else { false }
    }

    /// Returns the sides with the program of the plan's first mode first: the null case runs in it.
    func ordered(for plan: Plan) throws -> Sides {
        guard case .programs(let base, let head, let areNamed) = pair else { return self }
        if areNamed { try head.checkCounterpart(of: base, in: plan) }
        let first = plan.firstMode
        return Sides(
            .programs(
                base: base.puttingFirst(programOf: first), head: head.puttingFirst(programOf: first), areNamed: areNamed
            ),
            planted: planted)
    }

    /// Refuses to go on with a comparison of which a side has changed.
    func check(_ record: RunRecord, _ inputs: TrialInputs) throws {
        let now = try comparison(inputs, record.wholePlan, isSharded: record.sharding != nil)
        let then = record.comparison
        guard then?.base == now.base else { throw FetchBenchError.otherSides(name: record.identifier, side: .base) }
        guard then?.head == now.head else { throw FetchBenchError.otherSides(name: record.identifier, side: .head) }
    }

    func inputs(of side: Side, in inputs: TrialInputs) throws -> TrialInputs {
        var own = inputs
        if side == .head { own.planted = planted }
        switch pair {
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

    func comparison(_ inputs: TrialInputs, _ plan: Plan, isSharded: Bool) throws -> Comparison {
        func candidate(_ name: String, _ programs: TrialPrograms) throws -> Comparison.Candidate {
            Comparison.Candidate(name: name, programs: try programs.files(for: plan.cases, hashed: isSharded))
        }
        func candidate(_ command: ExternalCommand) -> Comparison.Candidate {
            var own = inputs
            own.commands = [command.name: command]
            return Comparison.Candidate(
                name: inputs.harness.redaction.text(command.command),
                programs: own.executables(of: plan, hashesAll: isSharded))
        }
        if case .commands(let base, let head) = pair { return Comparison(base: candidate(base), head: candidate(head)) }
        var (base, head, name) = (inputs.programs, inputs.programs, Side.head.rawValue)
        switch pair {
        case .programs(let first, let second, _): (base, head) = (first, second)
        case .copy: name = "copy"
        case .commands, .itself: break
        }
        return try Comparison(base: candidate(Side.base.rawValue, base), head: candidate(name, head))
    }

    // MARK: - Printed commands

    /// Returns the command that repeats the comparison, or with a number of pairs, the calibration.
    func command(_ flags: PlanFlags, pairs: Int?) -> String {
        var flags = flags
        flags.leavesTrialsOut = true
        if let pairs { return flags.command(["calibrate", "--pairs", "\(pairs)"] + copyFlag) }
        if areCommands { flags.leaveModesOut() }
        return flags.command(beginning(flags.redaction))
    }

    private var copyFlag: [String] {
        if case .copy = pair { ["--copy"] } else { [] }
    }

    func beginning(_ redaction: RedactedCommand) -> [String] {
        guard case .commands(let base, let head) = pair else { return ["compare"] + flags(redaction) }
        let kind = base.server == nil ? "exec" : "server"
        return [
            "compare", "--base-\(kind)", PlanFlags.word(base.command, redaction), "--head-\(kind)",
            PlanFlags.word(head.command, redaction),
        ] + (base.server?.flags.map { ShellWord.pasted($0) } ?? [])
    }

    /// The flags of two builds, with placeholders for their paths; named programs come first on their sides.
    private func flags(_ redaction: RedactedCommand) -> [String] {
        guard case .programs(let base, let head, true) = pair, let base = base.executables.first,
            let head = head.executables.first
        else { return ["--base", "BASE", "--head", "HEAD"] }
        return [
            "--base-program", PlanFlags.word(base.path, redaction), "--head-program",
            PlanFlags.word(head.path, redaction),
        ]
    }

    func flagsToRepeat(besides flags: [String], _ redaction: RedactedCommand) -> [String] {
        switch pair {
        case .commands(let base, _):
            base.server.map {
                ["--base-server BASE --head-server HEAD"] + $0.flags.map { ShellWord.pasted($0) }
            } ?? ["--base-exec BASE --head-exec HEAD"]
        case .programs: [self.flags(redaction).joined(separator: " ")] + flags
        case .itself, .copy: copyFlag + flags
        }
    }
}

extension RunMeasurement {
    package var cells: [Case] { record.plan.fetchingCases }

    package func judged(onEvent: @escaping Listener) async throws -> (findings: [Finding], warnings: [RunWarning]) {
        let judge = CaseJudge(rule: .interleaved, seed: record.plan.seed, noise: record.noise ?? NoiseFloors())
        return try await paired(onEvent) { runner in
            try await InterleavedComparison(of: cells, by: record.metrics, judge: judge).run {
                try await runner.pairs(of: $0, count: $1, stage: $2)
            }
        }
    }

    package func measureBlocks(of sharding: Sharding, onEvent: @escaping Listener) async throws {
        try await paired(onEvent) { try await $0.blocks(of: sharding) }
    }

    /// Runs the pairs of every case after one discarded pair, without judging them.
    package func pairs(onEvent: @escaping Listener) async throws -> [Case: PairedTrials] {
        try await paired(onEvent) { runner in
            _ = try await runner.pairs(of: cells, count: 1, stage: .warmup)
            return try await runner.pairs(of: cells, count: record.plan.trials, stage: .screening)
        }
    }

    /// Commands that measure one case of this comparison again, without the paths of the user's builds.
    package func reproduction(programs: [String]) -> Reproduction {
        let redaction = inputs.harness.shellRedaction
        let namesModes = sides?.areCommands == true
        return Reproduction(
            beginning: sides?.beginning(redaction) ?? [], plan: record.plan, commands: inputs.commands,
            redaction: redaction, programs: namesModes ? [] : programs, namesModes: namesModes)
    }

    private func paired<Value: Sendable>(
        _ onEvent: @escaping Listener, _ work: @escaping @Sendable (TrialRunner) async throws -> Value
    ) async throws -> Value {
        try await hosted { inputs in
            let sides: [Side?: TrialInputs] = try [
                .base: self.inputs(of: .base, in: inputs), .head: self.inputs(of: .head, in: inputs),
            ]
            return try await work(TrialRunner(self, sides, onEvent: onEvent))
        }
    }

    func inputs(of side: Side, in inputs: TrialInputs) throws -> TrialInputs {
        guard let sides else { preconditionFailure("pairs have sides") }
        return try sides.inputs(of: side, in: inputs)
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
