// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Runs the trials of a measurement one at a time, round by round, and stores each as soon as it ends.
///
/// A run has one side, a comparison two, whose trials alternate in pairs, so that disturbances of the machine affect both.
/// The order follows from the seed and from earlier measurements: a resumed measurement repeats the same sequence and runs only
/// the missing trials. Finished trials are not kept in memory: the harness is as small after 300 as after one.
package actor TrialRunner {
    private let executors: [Side?: TrialExecutor]
    private let plan: Plan
    /// The plan of all shards, whose order and numbers the trials of each have.
    private let whole: Plan
    private let host: String?
    private let stop: RunMeasurement.StopRequest?
    private let name: String
    private let done: [Int: Trial]
    private let log: TrialLog
    private let onEvent: RunMeasurement.Listener
    private var generator: SeededGenerator
    private var nextNumber = 1

    package init(
        _ measurement: RunMeasurement, _ sides: [Side?: TrialInputs], onEvent: @escaping RunMeasurement.Listener
    ) throws {
        (plan, whole) = (measurement.record.plan, measurement.record.wholePlan)
        (host, stop) = (measurement.host, measurement.stop)
        var executors: [Side?: TrialExecutor] = [:]
        for (side, inputs) in sides { executors[side] = try TrialExecutor(measurement.record.plan, inputs) }
        self.executors = executors
        name = measurement.folder.name
        done = Dictionary(measurement.done.map { ($0.number, $0) }) { _, last in last }
        log = try TrialLog(measurement.folder)
        generator = SeededGenerator(seed: measurement.record.plan.seed)
        self.onEvent = onEvent
    }

    private func trial(for step: RunMeasurement.Step) async throws -> Trial {
        if let stored = done[step.slot.trial] { return try checked(stored, for: step) }
        var (trial, series) = try await executed(step)
        trial.pairing = step.pairing
        trial.host = host
        try log.append(trial, series: series)
        RunMeasurement.Event.ended(trial).map(onEvent)
        return trial
    }

    private func executed(
        _ step: RunMeasurement.Step, isWarmup: Bool = false
    ) async throws -> (trial: Trial, series: TrialSeries) {
        try Task.checkCancellation()
        if stop?.isMade == true { throw CancellationError() }
        guard let executor = executors[step.pairing?.side] else { preconditionFailure("a side without inputs") }
        onEvent(.began(step, isWarmup: isWarmup))
        let executed = try await executor.trial(for: step.slot)
        // An interrupted trial does not count: resuming repeats it.
        try Task.checkCancellation()
        return executed
    }

    /// Refuses a stored trial that is not the one that the plan has under its number.
    private func checked(_ trial: Trial, for step: RunMeasurement.Step) throws -> Trial {
        guard trial.cell == step.slot.cell, trial.pairing == step.pairing else {
            throw FetchBenchError.malformedRun(
                name: name, reason: "trial \(trial.number) of trials.jsonl does not match the plan")
        }
        return trial
    }
}

// MARK: - Runs

extension TrialRunner {
    /// Runs the missing trials of a run; gives up a plain command after its first failure.
    package func run() async throws {
        let failed = try await warmedUp()
        let own = Set(plan.cases)
        var rounds = whole.rounds
        var position = 0
        while let turn = rounds.next() {
            guard own.contains(turn.subject) else { continue }
            if let trial = failed[turn.subject] {
                // Only in its turn: the trials are stored in the order of their numbers, by which shards are merged.
                try log.append(trial)
                rounds.giveUp(turn.subject)
                continue
            }
            position = own.count == whole.cases.count ? turn.position : position + 1
            let step = RunMeasurement.Step(slot: Plan.Slot(turn), position: position, count: own.count * plan.trials)
            let trial = try await trial(for: step)
            if turn.subject.isOwnCommand, !trial.isCompleted { rounds.giveUp(turn.subject) }
        }
    }

    /// Warms up each plain command that has trials left, and returns the failures, each as the command's first trial.
    ///
    /// A resumed measurement warms up again.
    private func warmedUp() async throws -> [Case: Trial] {
        let count = plan.settings.commands?.warmup ?? 0
        guard count > 0 else { return [:] }
        // The first round has the first trial of each.
        let slots = whole.rounds.prefix(whole.cases.count).map { Plan.Slot($0) }
        var rounds = Rounds(of: plan.plainCases, count: count, seed: plan.seed)
        var failed: [Case: Trial] = [:]
        plan.plainCases.filter(isConcluded).forEach { rounds.giveUp($0) }
        while let turn = rounds.next() {
            guard let slot = slots.first(where: { $0.cell == turn.subject }) else { continue }
            let step = RunMeasurement.Step(slot: slot, position: turn.position, count: plan.plainCases.count * count)
            if let trial = try await failure(for: step) {
                failed[turn.subject] = trial
                rounds.giveUp(turn.subject)
            }
        }
        return failed
    }

    /// True if all trials of a plain command are stored, or one that failed.
    private func isConcluded(_ cell: Case) -> Bool {
        let own = done.values.filter { $0.cell == cell }
        return own.count >= plan.trials || own.contains { !$0.isCompleted }
    }

    /// Runs a trial without storing it, and returns it unless it completed.
    private func failure(for step: RunMeasurement.Step) async throws -> Trial? {
        var trial = try await executed(step, isWarmup: true).trial
        guard !trial.isCompleted else { return nil }
        trial.outcome.detail = "warm-up: " + trial.outcome.detail
        trial.host = host
        RunMeasurement.Event.ended(trial).map(onEvent)
        return trial
    }
}

// MARK: - Comparisons

extension TrialRunner {
    /// Runs the blocks of pairs of a comparison that a shard measures, without judging them.
    package func blocks(of sharding: Sharding) async throws {
        let own = ShardTurns(of: whole, sharding).filter { $0.shard == sharding.number }
        for (place, turn) in own.enumerated() {
            let slot = Plan.Slot(trial: turn.trial, cell: whole.cases[turn.place], seed: turn.seed)
            _ = try await trial(
                for: RunMeasurement.Step(slot: slot, pairing: turn.pairing, position: place + 1, count: own.count))
        }
    }

    /// Runs pairs of trials: round by round, cases in random order, and sides in random order within each pair.
    package func pairs(of cells: [Case], count: Int, stage: PairStage) async throws -> [Case: PairedTrials] {
        var pairs: [Case: PairedTrials] = [:]
        // One seed for both sides, so that both trials of a pair draw the same random numbers.
        var rounds = Rounds(of: cells, count: count, by: generator) {
            (seed: $0.next(), sides: Side.allCases.shuffled(using: &$0))
        }
        var position = 0
        while let turn = rounds.next() {
            generator = rounds.generator
            for side in turn.chance.sides {
                position += 1
                let slot = Plan.Slot(trial: nextNumber, cell: turn.subject, seed: turn.chance.seed)
                nextNumber += 1
                let step = RunMeasurement.Step(
                    slot: slot, pairing: Pairing(side: side, stage: stage), position: position, count: 2 * turn.count)
                pairs[turn.subject, default: PairedTrials()][side].append(try await trial(for: step))
            }
        }
        return pairs
    }
}
