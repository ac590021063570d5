// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Statistics

/// The smallest limits under which cases succeed, with the conditions of the measurement, for renderers.
package struct SurvivalTable: Codable, Sendable {
    package static let schema = 1

    package var schema = SurvivalTable.schema
    /// The program that wrote it: `fetchbench 0.1.0`.
    package var tool: String
    /// The start of the measurement, as ISO 8601 in UTC.
    package var measuredAt: String
    /// The trials that had to survive at the smallest limit, and of each limit whose time is compared.
    package var trials: Int
    package var seed: UInt64
    package var environment: MachineEnvironment
    /// The version of control groups: 1 or 2.
    package var controlGroups: Int
    /// The swap space of the machine, which a limit leaves usable; zero for none.
    package var swap: ByteCount
    package var cases: [Survival]

    package init(
        tool: String, measuredAt: String, trials: Int, seed: UInt64, environment: MachineEnvironment,
        controlGroups: Int, swap: ByteCount, cases: [Survival]
    ) {
        self.tool = tool
        self.measuredAt = measuredAt
        self.trials = trials
        self.seed = seed
        self.environment = environment
        self.controlGroups = controlGroups
        self.swap = swap
        self.cases = cases
    }

    package var isComplete: Bool { !cases.isEmpty && cases.allSatisfy { $0.failure == nil } }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, trials, seed, environment, cases
        case measuredAt = "measured_at"
        case controlGroups = "control_groups_version"
        case swap = "swap_bytes"
    }
}

/// The trials of one case under limits, and without one.
package struct Survival: Codable, Hashable, Sendable {
    package var cell: Case
    package var unlimited: LimitTrials
    /// The trials under each limit, in ascending order.
    package var limits: [LimitTrials] = []
    /// The reason that no smallest limit was found, or `nil`.
    package var failure: String?

    package init(cell: Case) {
        self.cell = cell
        unlimited = LimitTrials(limit: nil)
    }

    private enum CodingKeys: String, CodingKey {
        case unlimited, limits, failure
        case cell = "case"
        case survives = "survives_bytes"
        case failed = "failed_bytes"
        case unhurt = "unhurt_bytes"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cell = try container.decode(Case.self, forKey: .cell)
        unlimited = try container.decode(LimitTrials.self, forKey: .unlimited)
        limits = try container.decode([LimitTrials].self, forKey: .limits)
        failure = try container.decodeIfPresent(String.self, forKey: .failure)
    }

    /// Encodes the trials with what follows from them, for programs that read it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(cell, forKey: .cell)
        try container.encode(unlimited, forKey: .unlimited)
        try container.encode(limits, forKey: .limits)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeIfPresent(surviving?.limit, forKey: .survives)
        try container.encodeIfPresent(highestFailed, forKey: .failed)
        try container.encodeIfPresent(unhurt?.limit, forKey: .unhurt)
    }
}

/// The trials of one case under one limit.
package struct LimitTrials: Codable, Hashable, Sendable {
    /// The limit; `nil` for none.
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
        /// The highest charge; `nil` if it could not be read.
        package var peak: ChargePeak?
        /// The parts of the highest sampled charge.
        package var charge: MemoryCharge?
        package var reclaim: ReclaimCounts?
        package var limitHits: Int?
        package var swapped: ByteCount?

        package init(outcome: Outcome, nanoseconds: Int, charge: TrialCharge?) {
            self.outcome = outcome
            self.nanoseconds = nanoseconds
            peak = charge?.peak
            self.charge = charge?.highest
            reclaim = charge?.reclaim
            limitHits = charge?.limitHits
            swapped = charge?.swapped
        }

        package var survived: Bool { outcome.kind == .completed }

        private enum CodingKeys: String, CodingKey {
            case outcome, peak, charge, reclaim
            case nanoseconds = "duration_ns"
            case limitHits = "limit_hits"
            case swapped = "swapped_bytes"
        }
    }

    package var survivors: [Trial] { trials.filter(\.survived) }
    package var failed: Int { trials.count - survivors.count }

    /// The time of the trials that survived.
    package var time: Distribution? { Distribution(survivors.map { Double($0.nanoseconds) }) }
    /// The pages that the survivors had to read again.
    package var refaults: Distribution? { Distribution(reclaimed.map { Double($0.refaultedPages) }) }
    package var majorFaults: Distribution? { Distribution(reclaimed.map { Double($0.majorFaults) }) }
    private var reclaimed: [ReclaimCounts] { survivors.compactMap(\.reclaim) }
    package var peak: ByteCount? { survivors.compactMap { $0.peak?.total }.max() }
    /// The parts of the highest charge of a survivor.
    package var highestCharge: MemoryCharge? { survivors.compactMap(\.charge).max { $0.total < $1.total } }
}

extension Survival {
    /// The share by which a trial under a limit may be slower without being hurt by it.
    package static let tolerance = 0.05
    /// The pages that may be read again besides, 1 MiB; more is a storm of refaults.
    package static let calmPages = 256.0
    /// The probability below which a difference in time is not chance.
    private static let significance = 0.05

    /// The highest limit under which a trial failed; `nil` if none did.
    package var highestFailed: ByteCount? { limits.filter { $0.failed > 0 }.compactMap(\.limit).max() }

    /// The smallest limit that every trial survived, above all that failed; `nil` if there is none.
    package var surviving: LimitTrials? {
        guard failure == nil else { return nil }
        return limits.first { ($0.limit ?? .zero) > highestFailed ?? .zero && !$0.trials.isEmpty && $0.failed == 0 }
    }

    /// The smallest limit from which on no tried one slows the case down or makes it read pages again.
    package var unhurt: LimitTrials? {
        guard let surviving, let start = limits.firstIndex(of: surviving) else { return nil }
        let calm = limits[start...].filter { $0.survivors.count > 1 }
        guard let last = calm.lastIndex(where: { hurts($0) }) else { return calm.first }
        return calm[(last + 1)...].first
    }

    /// The time of a limit's trials as a multiple of the time without one; `nil` if unknown.
    package func slowdown(of trials: LimitTrials) -> Double? {
        guard let time = trials.time?.median, let free = unlimited.time?.median, free > 0 else { return nil }
        return time / free
    }

    /// True if the limit makes trials slower by more than the tolerance, or read many pages again.
    package func hurts(_ trials: LimitTrials) -> Bool {
        guard trials.failed == 0, let time = trials.time, let free = unlimited.time else { return true }
        // A limit that was never reached changes nothing.
        if trials.trials.allSatisfy({ $0.limitHits == 0 }) { return false }
        let again = (trials.refaults?.median ?? 0) - (unlimited.refaults?.median ?? 0)
        if again > Self.calmPages { return true }
        guard time.median > (1 + Self.tolerance) * free.median else { return false }
        return MannWhitney.test(free.sorted, time.sorted, alternative: .greater).p < Self.significance
    }
}
