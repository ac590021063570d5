// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
package import Runs
import Statistics
import TrialKit

/// Finds the smallest limit under which each case of a plan succeeds, by trials in fresh processes.
package struct SurvivalRunner: Sendable {
    private let plan: Plan
    private let inputs: TrialInputs
    private let repeats: Int

    /// Creates a runner for the cases of a plan but the null case; `repeats` trials decide at the edge.
    package init(_ plan: Plan, _ inputs: TrialInputs) {
        self.plan = plan
        self.inputs = inputs
        repeats = plan.trials
    }

    /// The cases whose limits are searched.
    package static func cases(of plan: Plan) -> [Case] { plan.cases.filter { $0.mode != Case.nullMode } }

    /// Runs all searches, one case after another.
    /// - Throws: ``FetchBenchError`` if the harness cannot continue; `CancellationError` if it was stopped.
    package func run(onEvent: @escaping @Sendable (SessionEvent) -> Void) async throws -> [Survival] {
        var found: [Survival] = []
        for cell in Self.cases(of: plan) {
            var search = try CaseSearch(cell, plan, inputs, repeats: repeats, onEvent: onEvent)
            found.append(try await search.run())
        }
        return found
    }
}

private struct CaseSearch {
    /// A trial under a limit may take this many times as long as without one before it is given up.
    private static let patience = 10
    /// The time that is added, so that short commands are not given up on a busy machine.
    private static let leastPatience = 5.0

    /// About the trials that a search takes.
    private static func usualTrials(_ repeats: Int) -> Int { 8 * repeats + 8 }

    private var survival: Survival
    private var plan: Plan
    private let inputs: TrialInputs
    private let repeats: Int
    private let onEvent: @Sendable (SessionEvent) -> Void
    private var executor: TrialExecutor
    private var generator: SeededGenerator
    private var number = 0

    init(
        _ cell: Case, _ plan: Plan, _ inputs: TrialInputs, repeats: Int,
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        survival = Survival(cell: cell)
        (self.plan, self.inputs, self.repeats, self.onEvent) = (plan, inputs, repeats, onEvent)
        executor = try TrialExecutor(plan, inputs)
        generator = SeededGenerator(seed: plan.seed)
    }

    mutating func run() async throws -> Survival {
        for _ in 0..<repeats {
            let trial = try await trial(under: nil)
            survival.unlimited.trials.append(trial)
            guard trial.survived else {
                survival.failure = "it fails without a limit: \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
                return survival
            }
        }
        guard let peak = survival.unlimited.peak, let charge = survival.unlimited.highestCharge else {
            survival.failure = "its charge cannot be read"
            return survival
        }
        try hurry()
        try await search(from: charge, peak: peak)
        if survival.failure == nil { try await compareTimes(upTo: peak) }
        survival.limits.sort { ($0.limit ?? .zero) < ($1.limit ?? .zero) }
        return survival
    }

    /// Shortens the time limit of a trial: near the edge a program does not fail, it crawls.
    private mutating func hurry() throws(FetchBenchError) {
        let usual = (survival.unlimited.time?.maximum ?? 0) / 1e9
        plan.settings.timeoutSeconds = min(
            plan.settings.timeoutSeconds, Double(Self.patience) * usual + Self.leastPatience)
        executor = try TrialExecutor(plan, inputs)
    }

    private mutating func search(from charge: MemoryCharge, peak: ByteCount) async throws {
        // Page cache can be reclaimed, the rest cannot.
        let needed = charge.anonymous + charge.sharedMemory + (charge.kernel ?? .zero)
        let machine = EnvironmentProbe.memory() ?? .mebibytes(1 << 20)
        var search = SurvivalSearch(
            guess: needed.wholeMebibytes, ceiling: min(4 * peak.wholeMebibytes + 64, machine.wholeMebibytes),
            repeats: repeats)
        while let limit = search.next {
            search.note(limit, survived: try await add(under: .mebibytes(limit)).survived)
        }
        guard search.found == nil else { return }
        survival.failure = "it does not survive \(search.highestFailed) MiB, more than it was charged without a limit"
    }

    /// Runs trials without a limit and under limits from the smallest one upwards, interleaved, to compare their times.
    private mutating func compareTimes(upTo peak: ByteCount) async throws {
        guard let smallest = survival.surviving?.limit else { return }
        // The last one is never reached.
        let last = max(smallest, .mebibytes(peak.wholeMebibytes + 1))
        var limits: [ByteCount?] = [nil, smallest]
        var step = 1
        while smallest + .mebibytes(step) < last {
            limits.append(smallest + .mebibytes(step))
            step *= 2
        }
        if last > smallest { limits.append(last) }
        for round in 0..<repeats {
            for limit in limits.shuffled(using: &generator) {
                let done = limit.flatMap { limit in survival.limits.first { $0.limit == limit }?.trials.count } ?? 0
                // Trials of the search count, where there are any.
                if limit != nil, done > round { continue }
                if let limit {
                    _ = try await add(under: limit)
                } else {
                    survival.unlimited.trials.append(try await trial(under: nil))
                }
            }
        }
    }

    /// Runs a trial under a limit and adds it to the others of that limit.
    private mutating func add(under limit: ByteCount) async throws -> LimitTrials.Trial {
        let trial = try await trial(under: limit)
        if let index = survival.limits.firstIndex(where: { $0.limit == limit }) {
            survival.limits[index].trials.append(trial)
        } else {
            var first = LimitTrials(limit: limit)
            first.trials.append(trial)
            survival.limits.append(first)
        }
        return trial
    }

    private mutating func trial(under limit: ByteCount?) async throws -> LimitTrials.Trial {
        try Task.checkCancellation()
        number += 1
        var cell = survival.cell
        cell.conditions.containerLimit = limit
        let count = max(number, Self.usualTrials(repeats))
        onEvent(.began(ProgressBoard.Item(cell.identifier, position: number, of: count)))
        let slot = Plan.Slot(trial: number, cell: cell, seed: generator.next())
        let trial = try await executor.trial(for: slot).trial
        try Task.checkCancellation()
        return LimitTrials.Trial(
            outcome: trial.outcome, nanoseconds: trial.measuredNanoseconds, charge: trial.charge)
    }
}

extension Trial {
    /// The time of a command, or of the phases from `fetch` to `render`; of a failed trial that of its process.
    fileprivate var measuredNanoseconds: Int {
        if let command = report?.command { return command.endNanoseconds - command.startNanoseconds }
        let peaking = report?.phases.filter { Phase.peaking.contains($0.phase) } ?? []
        guard let start = peaking.first?.startNanoseconds, let end = peaking.last?.endNanoseconds else {
            return processNanoseconds
        }
        return end - start
    }
}

extension ByteCount {
    /// The size in MiB, rounded up.
    fileprivate var wholeMebibytes: Int { (rawValue + (1 << 20) - 1) >> 20 }
}
