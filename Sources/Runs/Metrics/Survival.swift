// SPDX-License-Identifier: Apache-2.0

/// The smallest limits under which cases succeed, with the conditions of the measurement, for renderers.
package struct SurvivalTable: Codable, Sendable {
    package static let schema = 1

    package var schema = SurvivalTable.schema
    /// The program that wrote it: `fetchbench 0.1.0`.
    package var tool: String
    /// The start of the measurement, as ISO 8601 in UTC.
    package var measuredAt: String
    /// The trials that had to survive at the smallest limit, and of each limit at which the answer changes.
    package var trials: Int
    package var seed: UInt64
    package var environment: MachineEnvironment
    /// The version of control groups: 1 or 2.
    package var controlGroups: Int
    /// The swap space of the machine, which a limit leaves usable; zero for none.
    package var swap: ByteCount
    package var limitAbove: ByteCount?
    package var cases: [Survival]

    package init(
        of run: RunRecord, controlGroups: Int, swap: ByteCount, limitAbove: ByteCount? = nil, cases: [Survival]
    ) {
        (tool, measuredAt, trials, seed) = (run.tool, run.startedAt, run.plan.trials, run.plan.seed)
        (environment, self.controlGroups, self.swap) = (run.environment, controlGroups, swap)
        (self.limitAbove, self.cases) = (limitAbove, cases)
    }

    package var isComplete: Bool { !cases.isEmpty && cases.allSatisfy { $0.failure == nil } }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, trials, seed, environment, cases
        case measuredAt = "measured_at"
        case controlGroups = "control_groups_version"
        case swap = "swap_bytes"
        case limitAbove = "limit_above_bytes"
    }
}

package struct Survival: Codable, Hashable, Sendable {
    package var cell: Case
    /// The trials with the program's files in the page cache, as where it has run before.
    package var cached: LimitSeries
    /// The trials that read the program's files themselves, as in a new container; `nil` if there are none.
    package var uncached: LimitSeries?
    /// The pages of those files that other processes map, so that no trial read them.
    package var stillCached: ByteCount?
    package var failure: String?

    package init(cell: Case, cached: LimitSeries) {
        (self.cell, self.cached) = (cell, cached)
    }

    private enum CodingKeys: String, CodingKey {
        case uncached, failure
        case cell = "case"
        case stillCached = "still_cached_bytes"
        case survives = "survives_bytes"
        case failed = "failed_bytes"
        case unhurt = "unhurt_bytes"
        case setting = "setting_bytes"
        case survivesBetween = "survives_between_bytes"
        case unhurtBetween = "unhurt_between_bytes"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cell = try container.decode(Case.self, forKey: .cell)
        cached = try LimitSeries(from: decoder)
        uncached = try container.decodeIfPresent(LimitSeries.self, forKey: .uncached)
        stillCached = try container.decodeIfPresent(ByteCount.self, forKey: .stillCached)
        failure = try container.decodeIfPresent(String.self, forKey: .failure)
    }

    /// Encodes the trials with what follows from them, for programs that read it.
    package func encode(to encoder: any Encoder) throws {
        try cached.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(cell, forKey: .cell)
        try container.encodeIfPresent(uncached, forKey: .uncached)
        try container.encodeIfPresent(stillCached, forKey: .stillCached)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeIfPresent(surviving?.limit, forKey: .survives)
        try container.encodeIfPresent(cached.highestFailed, forKey: .failed)
        try container.encodeIfPresent(unhurt?.limit, forKey: .unhurt)
        try container.encodeIfPresent(setting, forKey: .setting)
        let ranges = failure == nil ? [cached.survivingRange, cached.unhurtRange] : [nil, nil]
        let bounds = ranges.map { range in range.map { [$0.lowerBound, $0.upperBound] } }
        try container.encodeIfPresent(bounds[0], forKey: .survivesBetween)
        try container.encodeIfPresent(bounds[1], forKey: .unhurtBetween)
    }

    /// The smallest limit that every trial survived, above all that failed; `nil` if there is none.
    package var surviving: LimitTrials? { failure == nil ? cached.surviving : nil }

    /// The smallest limit from which on none slows the case down; `nil` if there is none.
    package var unhurt: LimitTrials? { failure == nil ? cached.unhurt : nil }

    /// The memory that it holds under its smallest limit and without one, if it sizes itself by its limit: what a program
    /// needs without a file cannot be taken from it.
    package var adaptation: (least: ByteCount, most: ByteCount)? {
        guard let most = cached.unlimited.needed, let least = surviving?.needed else { return nil }
        return least.rawValue < most.rawValue / 10 * 9 && least + .mebibytes(4) < most ? (least, most) : nil
    }

    /// The share that is added to what a container needs, because no two loads are alike.
    private static let room = 0.1

    /// The limit to set for a new container, in whole MiB: what does not hurt one that reads its program itself, with room,
    /// and no less than was ever needed.
    package var setting: ByteCount? {
        let limits = [uncached?.unhurt ?? uncached?.unlimited.asLimit, unhurt ?? surviving].compactMap { $0?.limit }
        guard failure == nil, let limit = limits.max() else { return nil }
        // A program that sizes itself by its limit needs less under one.
        let seen = adaptation == nil ? cached.unlimited.needed ?? .zero : .zero
        let needed = max(limit + (stillCached ?? .zero), seen)
        return .mebibytes(ByteCount(Int(Double(needed.rawValue) * (1 + Self.room))).wholeMebibytes)
    }
}

/// The trials of one case in one state of the page cache.
package struct LimitSeries: Codable, Hashable, Sendable {
    /// The trials without a limit, taken in turn with the others.
    package private(set) var unlimited = LimitTrials(limit: nil)
    package private(set) var limits: [LimitTrials] = []
    /// The trials that decide where the answer changes.
    package let repeats: Int

    package init(repeats: Int) { self.repeats = repeats }

    private enum CodingKeys: String, CodingKey {
        case unlimited, limits
        case repeats = "deciding_trials"
    }

    package mutating func add(_ trial: LimitTrials.Trial, under limit: ByteCount?) {
        guard let limit else {
            unlimited.trials.append(trial)
            return
        }
        let place = limits.firstIndex { $0.limit ?? .zero >= limit } ?? limits.count
        if place == limits.count || limits[place].limit != limit { limits.insert(LimitTrials(limit: limit), at: place) }
        limits[place].trials.append(trial)
    }

    package func trials(under limit: ByteCount) -> LimitTrials {
        limits.first { $0.limit == limit } ?? LimitTrials(limit: limit)
    }
}

package struct LimitTrials: Codable, Hashable, Sendable {
    package var limit: ByteCount?
    package var trials: [Trial] = []

    package init(limit: ByteCount?) { self.limit = limit }

    private enum CodingKeys: String, CodingKey {
        case trials
        case limit = "limit_bytes"
    }

    /// A trial: how it ended, and what it cost.
    package struct Trial: Codable, Hashable, Sendable {
        package var outcome: Outcome
        package var nanoseconds: Int
        package var peak: ChargePeak?
        package var charge: MemoryCharge?
        package var reclaim: ReclaimCounts?
        package var limitHits: Int?
        package var killCount: Int?
        package var swapped: ByteCount?

        package init(outcome: Outcome, nanoseconds: Int, charge: TrialCharge?) {
            (self.outcome, self.nanoseconds) = (outcome, nanoseconds)
            (peak, self.charge, reclaim) = (charge?.peak, charge?.highest, charge?.reclaim)
            (limitHits, killCount, swapped) = (charge?.limitHits, charge?.killCount, charge?.swapped)
        }

        package var survived: Bool { outcome.kind == .completed }
        /// True if it failed and its group had reached its limit, or the kernel had killed a process in it.
        package var failedForLimit: Bool { !survived && (limitHits ?? 0 > 0 || killCount ?? 0 > 0) }

        private enum CodingKeys: String, CodingKey {
            case outcome, peak, charge, reclaim
            case nanoseconds = "duration_ns"
            case limitHits = "limit_hits"
            case killCount = "processes_killed"
            case swapped = "swapped_bytes"
        }
    }

    package var survivors: [Trial] { trials.filter(\.survived) }
    package var failed: Int { trials.count { $0.failedForLimit } }
    package var failedThemselves: Int { trials.count - survivors.count - failed }
    /// True if most trials failed without having reached the limit, as of a program that sizes itself by it.
    package var isRefused: Bool { failedThemselves >= LimitSeries.fewFailures && 2 * failedThemselves >= trials.count }

    package var time: Distribution? { Distribution(survivors.map { Double($0.nanoseconds) }) }
    /// The pages that the survivors had to read again.
    package var refaults: Distribution? { Distribution(reclaimed.map { Double($0.refaultedPages) }) }
    package var majorFaults: Distribution? { Distribution(reclaimed.map { Double($0.majorFaults) }) }
    private var reclaimed: [ReclaimCounts] { survivors.compactMap(\.reclaim) }
    package var peak: ByteCount? { survivors.compactMap { $0.peak?.total }.max() }
    package var needed: ByteCount? { survivors.compactMap(\.charge).map(\.needed).max() }
    fileprivate var asLimit: LimitTrials? {
        peak.map { LimitTrials(limit: .mebibytes($0.wholeMebibytes)) }
    }
}

extension MemoryCharge {
    /// The part that cannot be reclaimed: all but page cache and sockets.
    package var needed: ByteCount { anonymous + sharedMemory + (kernel ?? .zero) }
}

extension ByteCount {
    /// The size in MiB, rounded up.
    package var wholeMebibytes: Int { (rawValue + (1 << 20) - 1) >> 20 }
}

extension LimitSeries {
    /// The share by which a trial under a limit may be slower without being hurt by it.
    package static let tolerance = 0.05
    /// The probability below which a difference in time is not chance; the search for a limit makes many comparisons.
    package static let significance = 0.01
    /// The share by which two trials may be slower than all without a limit and need no more of them.
    package static let clearly = 0.25
    /// The trials that tell where to look closer.
    private static let roughTrials = 4
    fileprivate static let fewFailures = 3

    /// The highest limit under which a trial failed for it; `nil` if none did.
    package var highestFailed: ByteCount? { limits.last { $0.failed > 0 || $0.isRefused }?.limit }

    /// The smallest limit that every trial survived, above all that failed; `nil` if there is none.
    package var surviving: LimitTrials? {
        limits.first { $0.limit ?? .zero > highestFailed ?? .zero && !$0.survivors.isEmpty }
    }

    /// The limits between which the smallest may lie when it is searched again: from the first that a trial survived to as
    /// far above the answer, and those that trials needed without a limit, but of a program that sizes itself by its limit.
    ///
    /// Wider by 1 MiB for the batches in which the kernel counts, or by as much as trials differed without a limit.
    package var survivingRange: ClosedRange<ByteCount>? {
        guard let limit = surviving?.limit, let least = limits.first(where: { !$0.survivors.isEmpty })?.limit else {
            return nil
        }
        let needs = unlimited.survivors.compactMap { $0.charge.map { ByteCount.mebibytes($0.needed.wholeMebibytes) } }
        let bounds = needs.filter { $0.rawValue <= limit.rawValue / 4 * 5 } + [least, limit + (limit - least)]
        let margin = max(.mebibytes(1), (needs.max() ?? .zero) - (needs.min() ?? .zero))
        return max(.mebibytes(1), bounds.reduce(limit, min) - margin)...bounds.reduce(limit, max) + margin
    }

    /// The trials that failed by themselves, if they are too many for any answer; `nil` if they may be chance.
    package var ownFailures: (count: Int, trials: Int, first: Outcome)? {
        let judged = ([unlimited] + limits).filter { $0.limit == nil || !$0.isRefused }
        let failed = judged.flatMap(\.trials).filter { !$0.survived && !$0.failedForLimit }
        let count = judged.reduce(0) { $0 + $1.trials.count }
        guard let first = failed.first, failed.count >= Self.fewFailures, 4 * failed.count > count else { return nil }
        return (failed.count, count, first.outcome)
    }

    /// The time of a limit's trials as a multiple of the time without one; `nil` if unknown.
    package func slowdown(of trials: LimitTrials) -> Double? {
        guard let time = trials.time?.median, let free = unlimited.time?.median, free > 0 else { return nil }
        return time / free
    }

    /// Returns whether the times say that a limit slows trials down, `nil` while there are too few of them.
    ///
    /// Refaults and reclaim explain it, they do not decide.
    package func isHurt(_ trials: LimitTrials) -> Bool? {
        if trials.failed > 0 || trials.isRefused { return true }
        guard let time = trials.time?.sorted, let free = unlimited.time?.sorted else { return nil }
        func isSlower(by share: Double, p: Double = Self.significance) -> Bool {
            MannWhitney.test(free.map { $0 * (1 + share) }, time, alternative: .greater).p < p
        }
        let wasReached = trials.trials.contains { $0.limitHits != 0 }
        if time.count < min(Self.roughTrials, repeats) {
            // Two of twelve trials are the slowest by chance in one of 66 searches; these are slower by far, too.
            return time.count > 1 && wasReached && isSlower(by: Self.clearly, p: 2 * Self.significance) ? true : nil
        }
        // One that was never reached can only have changed the program; what that costs is seen, and other load is not.
        return isSlower(by: wasReached ? Self.tolerance : Self.clearly)
    }

    /// The smallest tried limit from which on no tried one hurts; `nil` if there is none.
    package var unhurt: LimitTrials? {
        guard let surviving else { return nil }
        let tried = limits.filter { $0.limit ?? .zero >= surviving.limit ?? .zero }
        let start = tried.lastIndex { isHurt($0) == true }.map { $0 + 1 } ?? 0
        return tried.dropFirst(start).first { isHurt($0) == false }
    }

    package var highestHurting: LimitTrials? { limits.last { isHurt($0) == true } }

    /// The limits between which the smallest that does not hurt may lie when it is searched again: it is survived, too, and
    /// one that hurts little may not hurt then.
    package var unhurtRange: ClosedRange<ByteCount>? {
        guard let limit = unhurt?.limit, let survived = survivingRange else { return nil }
        let slow = limits.last { slowdown(of: $0) ?? 0 > 1 + Self.clearly && isHurt($0) == true }?.limit
        let lowest = max(survived.lowerBound, slow.map { $0 + .mebibytes(1) } ?? .zero)
        let highest = limit + max(.mebibytes(1), ByteCount(limit.rawValue / 10))
        return min(limit, lowest)...max(survived.upperBound, highest)
    }
}
