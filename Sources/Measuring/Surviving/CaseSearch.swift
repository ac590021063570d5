// SPDX-License-Identifier: Apache-2.0

import Judging
package import Runs

extension RunMeasurement {
    /// Finds the smallest limits under which each case but the null case succeeds and is not hurt, one after another.
    package func survivals(onEvent: @escaping Listener) async throws -> [Survival] {
        try await hosted { inputs in
            let log = try TrialLog(folder)
            var found: [Survival] = []
            var number = 0
            for cell in record.plan.cases where cell.mode != Case.nullMode {
                var search = CaseSearch(cell, self, inputs, log, after: number, onEvent: onEvent)
                found.append(try await search.run())
                number = search.number
            }
            return found
        }
    }
}

/// The search for the limits of one case, by trials in fresh processes, each of which is stored as soon as it ends.
///
/// Which trial comes next follows from the seed and from the earlier ones: a resumed measurement takes the stored ones in
/// their order, and goes on from there.
private struct CaseSearch {
    /// A trial under a limit may take this many times as long as without one before it is given up.
    private static let patience = 10
    /// The time that is added, so that short commands are not given up on a busy machine.
    private static let leastPatience = 5.0

    private let cell: Case
    private var plan: Plan { didSet { executor = nil } }
    private var inputs: TrialInputs { didSet { executor = nil } }
    private var executor: TrialExecutor?
    private let measurement: RunMeasurement
    private let log: TrialLog
    private let onEvent: RunMeasurement.Listener
    private var generator: SeededGenerator
    private(set) var number: Int
    private var series: LimitSeries

    init(
        _ cell: Case, _ measurement: RunMeasurement, _ inputs: TrialInputs, _ log: TrialLog, after number: Int,
        onEvent: @escaping RunMeasurement.Listener
    ) {
        (self.cell, self.measurement, self.inputs, self.log) = (cell, measurement, inputs, log)
        (self.number, self.onEvent, plan) = (number, onEvent, measurement.record.plan)
        generator = SeededGenerator(seed: plan.seed)
        series = LimitSeries(repeats: plan.trials)
    }

    mutating func run() async throws -> Survival {
        var survival = Survival(cell: cell, cached: series)
        do {
            let files = GroupFiles()
            inputs.place.watch = files
            // Not counted: it warms the caches, while the files of its processes are listed.
            let first = try await executed(Plan.Slot(trial: 0, cell: cell, seed: plan.seed)).trial
            inputs.place.watch = nil
            try await measure(after: first.charge?.highest?.needed)
            survival.cached = series
            guard let smallest = series.surviving?.limit else { return survival }
            inputs.place.dropped = files
            files.drop()
            survival.stillCached = files.stillCached
            series = LimitSeries(repeats: plan.trials)
            try await runUnlimited()
            // Beyond what is known to hurt by its size, times of cold starts differ by chance.
            try await compareTimes(from: smallest, upTo: survival.unhurt?.limit)
            survival.uncached = series
        } catch let error as FetchBenchError where error.kind == .noAnswer {
            survival.failure = error.message
            if survival.cached.unlimited.trials.isEmpty { survival.cached = series } else { survival.uncached = series }
        }
        return survival
    }

    /// Runs the trials without a limit, then under limits with the program's files cached.
    private mutating func measure(after first: ByteCount?) async throws {
        try await runUnlimited()
        if let remains = Self.remains(of: first, series.unlimited.needed) { throw unanswered(remains) }
        // Near the edge a program does not fail, it crawls.
        let usual = (series.unlimited.time?.maximum ?? 0) / 1e9
        plan.settings.timeoutSeconds = min(
            plan.settings.timeoutSeconds, Double(Self.patience) * usual + Self.leastPatience)
        guard let needed = series.unlimited.needed else { throw unanswered("its charge cannot be read") }
        var search = SurvivalSearch(guess: needed.wholeMebibytes, ceiling: ceiling(4), repeats: series.repeats)
        while let limit = search.next {
            let trial = try await add(under: .mebibytes(limit))
            let isRefused = series.trials(under: .mebibytes(limit)).isRefused
            // One that fails by itself is repeated.
            if trial.survived || trial.failedForLimit || isRefused { search.note(limit, survived: trial.survived) }
        }
        guard let smallest = search.found else {
            let reason = series.trials(under: .mebibytes(search.highestFailed)).trials.last?.outcome.detail ?? ""
            throw unanswered(
                "it does not survive \(search.highestFailed) MiB, more than it was charged without a limit: \(reason)")
        }
        try await compareTimes(from: .mebibytes(smallest))
    }

    private func unanswered(_ reason: String) -> FetchBenchError { FetchBenchError(reason, kind: .noAnswer) }

    private mutating func runUnlimited() async throws {
        while series.unlimited.survivors.count < series.repeats { _ = try await add(under: nil) }
    }

    /// The highest limit to try, in MiB: all that there is, since a JVM takes another collector from 1,792 MiB on, or some
    /// multiple of the highest charge.
    private func ceiling(_ multiple: Int? = nil) -> Int {
        let most = [EnvironmentProbe.memory(), (try? ControlGroupPlace.here.get())?.limit].compactMap(\.self).min()
        let whole = (most ?? .mebibytes(1 << 20)).wholeMebibytes
        let peak = series.unlimited.peak?.wholeMebibytes ?? 1
        return max(1, multiple.map { min($0 * peak + 64, whole) } ?? whole)
    }

    /// Returns why the first trial tells of something that outlives it, so that later ones are charged too little; `nil` if
    /// it does not.
    private static func remains(of first: ByteCount?, _ others: ByteCount?) -> String? {
        guard let first, let others, first.rawValue > others.rawValue / 4 * 5, first > others + .mebibytes(4) else {
            return nil
        }
        return "its first trial was charged \(ByteText.mebibytes(first)), the next ones at most "
            + "\(ByteText.mebibytes(others)): something outlives it, such as shared memory or a file in memory, which "
            + "--prepare has to remove before each trial"
    }

    /// Runs trials under limits, in turn with trials without one, until the smallest that does not hurt is known.
    private mutating func compareTimes(from smallest: ByteCount, upTo unhurt: ByteCount? = nil) async throws {
        let peak = series.unlimited.peak?.wholeMebibytes ?? 1
        let isNew = inputs.place.dropped != nil
        let search = TimeSearch(
            from: smallest.wholeMebibytes, peak: peak,
            ceiling: isNew ? max(peak + 1, unhurt?.wholeMebibytes ?? 0) : ceiling(), isMonotonic: isNew)
        var count = 0
        while let limit = search.next(in: series) {
            _ = try await add(under: .mebibytes(limit))
            count += 1
            if count.isMultiple(of: 2) { _ = try await add(under: nil) }
        }
    }

    private mutating func add(under limit: ByteCount?) async throws -> LimitTrials.Trial {
        let whole = try await trial(under: limit)
        let trial = LimitTrials.Trial(
            outcome: whole.outcome,
            nanoseconds: whole.measuredNanoseconds(withStart: inputs.place.dropped != nil), charge: whole.charge)
        series.add(trial, under: limit)
        if let obstacle = obstacle(after: whole, trial, under: limit) { throw unanswered(obstacle) }
        return trial
    }

    /// Returns the reason that more trials give no answer; `nil` if they may.
    private func obstacle(after whole: Trial, _ trial: LimitTrials.Trial, under limit: ByteCount?) -> String? {
        if let doubt = TrialDoubts.outsideGroup(whole) { return doubt }
        let said = "\(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
        if !trial.survived, trial.limitHits ?? 0 == 0, let above = whole.charge?.limitAbove {
            let place = limit.map { "under \($0.wholeMebibytes) MiB" } ?? "without a limit"
            return "it failed \(place) while \(above.words) was reached: \(said)"
        }
        let failures = series.ownFailures
        let isHopeless = series.unlimited.survivors.isEmpty && (trial.outcome.kind == .timedOut || failures != nil)
        if limit == nil, trial.failedForLimit || isHopeless { return "it fails without a limit: \(said)" }
        return failures.map { failures in
            "it fails by itself, without having reached a limit: \(failures.count) of \(failures.trials) trials (first: "
                + "\(failures.first.kind.rawValue): \(failures.first.detail))"
        }
    }

    /// Runs the next trial and stores it, or returns the stored one.
    private mutating func trial(under limit: ByteCount?) async throws -> Trial {
        number += 1
        var cell = cell
        cell.conditions.containerLimit = limit
        let slot = Plan.Slot(trial: number, cell: cell, seed: generator.next())
        if let stored = measurement.done.first(where: { $0.number == number }) {
            guard stored.cell == cell, stored.seed == slot.seed else {
                throw FetchBenchError.malformedRun(
                    name: measurement.folder.name,
                    reason: "trial \(number) of trials.jsonl is not the next of the search")
            }
            return stored
        }
        let (trial, series) = try await executed(slot)
        try log.append(trial, series: series)
        return trial
    }

    private mutating func executed(_ slot: Plan.Slot) async throws -> (trial: Trial, series: TrialSeries) {
        try Task.checkCancellation()
        onEvent(.began(ProgressBoard.Item(cell.identifier, position: slot.trial)))
        let executor = try executor ?? TrialExecutor(plan, inputs)
        self.executor = executor
        let executed = try await executor.trial(for: slot)
        try Task.checkCancellation()
        return executed
    }
}

extension Trial {
    /// The time of a command, or of the phases from `fetch` to `render`; of a failed trial that of its process, and of one
    /// that reads its program, which it does at its start.
    fileprivate func measuredNanoseconds(withStart: Bool) -> Int {
        if let command = report?.command { return command.endNanoseconds - command.startNanoseconds }
        let peaking = report?.phases.filter { Phase.peaking.contains($0.phase) } ?? []
        guard !withStart, let start = peaking.first?.startNanoseconds, let end = peaking.last?.endNanoseconds else {
            return processNanoseconds
        }
        return end - start
    }
}
