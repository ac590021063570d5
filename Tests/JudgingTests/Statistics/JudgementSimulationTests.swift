// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics
import TestSupport
import Testing

/// Whole judgements of made-up trials: how often they are wrong, and how often they see what there is.
@Suite struct JudgementSimulationTests {
    /// The distribution of a case's trials.
    struct World: Sendable, CustomTestStringConvertible {
        var name: String
        var cv: Double
        /// How much more each trial takes than the one before, whichever side it is of.
        var drift = 0.0
        var spikes = 0.0
        /// Whether sizes are whole pages, and so often equal.
        var isPaged = true

        var testDescription: String { name }
    }

    static let worlds = [
        (World(name: "CV 0.3 %", cv: 0.003), 5000),
        (World(name: "CV 1 %", cv: 0.01), 5000),
        (World(name: "CV 3 %", cv: 0.03), 20_000),
        (World(name: "CV 3 %, no two alike", cv: 0.03, isPaged: false), 10_000),
        (World(name: "CV 0.3 %, 0.2 % a trial", cv: 0.003, drift: 0.002), 5000),
        (World(name: "CV 1 %, 0.5 % a trial", cv: 0.01, drift: 0.005), 5000),
        (World(name: "CV 1 %, spikes", cv: 0.01, spikes: 0.1), 5000),
    ]

    @Test(arguments: worlds)
    func theSameBuildIsHardlyEverCalledDifferent(world: World, count: Int) throws {
        let tally = try judge(world, change: 0, count: count)
        #expect(tally.regressed * 1000 <= count, "\(world.name): \(tally)")
        #expect(tally.improved * 1000 <= count, "\(world.name): \(tally)")
        #expect(tally.judged == count)
    }

    @Test(arguments: [
        (World(name: "CV 0.3 %", cv: 0.003), 0.02), (World(name: "CV 1 %", cv: 0.01), 0.02),
        (World(name: "CV 3 %", cv: 0.03), 0.05), (World(name: "CV 1 %, spikes", cv: 0.01, spikes: 0.05), 0.025),
    ])
    func aChangeThatCountsIsSeen(world: World, change: Double) throws {
        let worse = try judge(world, change: change, count: 1000)
        #expect(worse.regressed >= 950 && worse.improved == 0, "\(world.name): \(worse)")
        let better = try judge(world, change: -change, count: 1000)
        #expect(better.improved >= 950 && better.regressed == 0, "\(world.name): \(better)")
    }

    /// The base first, then the head: why a stored baseline is judged with wider limits.
    @Test func allOfOneSideFirstTurnsDriftIntoAlarms() throws {
        let world = World(name: "drift", cv: 0.003, drift: 0.002)
        let apart = try judge(world, change: 0, count: 500, isInterleaved: false)
        let wider = try judge(world, change: 0, count: 500, isInterleaved: false, rule: .storedBaseline)
        #expect(apart.regressed > 450, "\(apart)")
        #expect(wider.regressed < apart.regressed, "\(wider)")
    }

    struct Tally {
        var judged = 0
        var confirmations = 0
        var regressed = 0
        var improved = 0
    }

    private func judge(
        _ world: World, change: Double, count: Int, isInterleaved: Bool = true, rule: JudgementRule = .interleaved
    ) throws -> Tally {
        var rule = rule
        rule.resamples = 2
        let judge = TwoStageJudge(rule: rule)
        var noise = Noise(seed: 17)
        var generator = SeededGenerator(seed: 18)
        var tally = Tally()
        for _ in 0..<count {
            tally.judged += 1
            let first = trials(of: world, change: change, pairs: rule.n1, isInterleaved: isInterleaved, noise: &noise)
            guard case .needsConfirmation(let direction) = try judge.screen(base: first.base, head: first.head).verdict
            else { continue }
            tally.confirmations += 1
            let fresh = trials(of: world, change: change, pairs: rule.n2, isInterleaved: isInterleaved, noise: &noise)
            let found = try judge.confirm(direction, [fresh], generator: &generator)
            tally.regressed += found.verdict == .regressed ? 1 : 0
            tally.improved += found.verdict == .improved ? 1 : 0
        }
        return tally
    }

    /// Pairs of peaks of 40 MiB, base and head in random order within each, or all of the base first.
    private func trials(
        of world: World, change: Double, pairs: Int, isInterleaved: Bool, noise: inout Noise
    ) -> Stratum {
        var sides = Stratum(base: [], head: [])
        for pair in 0..<pairs {
            let isBaseFirst = noise.flip()
            let order = isInterleaved ? (2 * pair, 2 * pair + 1) : (pair, pairs + pair)
            let isSwapped = isInterleaved && !isBaseFirst
            sides.base.append(peak(world, 0, at: isSwapped ? order.1 : order.0, noise: &noise))
            sides.head.append(peak(world, change, at: isSwapped ? order.0 : order.1, noise: &noise))
        }
        return sides
    }

    private func peak(_ world: World, _ change: Double, at time: Int, noise: inout Noise) -> Double {
        let isSpike = noise.uniform() < world.spikes
        let size =
            41_943_040 * (1 + change) * (1 + world.drift * Double(time)) * exp(world.cv * noise.normal())
            * (isSpike ? 1.1 : 1)
        return world.isPaged ? (size / 4096).rounded() * 4096 : size
    }
}

/// `null-simulations` with a few repetitions: whole judgements of sizes in pages, by the code that judges real ones.
@Suite(.ownThreads) struct NullSimulationTests {
    private func simulations(_ arguments: [String]) throws -> EndedProcess {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return try TestProcess.run(
            tests.deletingLastPathComponent().appending(path: "null-simulations").path, arguments)
    }

    @Test func noDifferenceIsHardlyEverCalledAChange() throws {
        let ended = try simulations(["100"])
        #expect(ended.status == 0, "\(ended.text)")
        let rows = ended.text.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
        #expect(rows.count == 55)
        // The last column: what lay wholly apart and was called the same.
        #expect(rows.allSatisfy { $0.last == "0" }, "\(ended.text)")
    }

    @Test func hostsRaiseNoMoreFalseAlarmsAndSeeAsMuchAsOne() throws {
        let ended = try simulations(["hosts", "100"])
        #expect(ended.status == 0, "\(ended.text)")
        let lines = ended.text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        let rows = lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
        #expect(rows.count == 12)
        for row in rows {
            let (found, alone) = (Int(row["found"] ?? "") ?? 0, Int(row["found_by_one_host"] ?? "") ?? .max)
            // Of 100: where the hosts differ, all of them see more; where they are alike, little less, and some by chance.
            #expect(row["noise"] == "different" ? found > alone : found >= alone - 20, "\(row)")
        }
    }

    @Test(arguments: [["0"], ["-1"], ["many"], ["hosts", "0"], ["hosts", "many"], ["2", "3"]])
    func aNumberThatIsNoneIsRefused(count: [String]) throws {
        let ended = try simulations(count)
        #expect(ended.status == 64 && ended.complaint.hasPrefix("usage: ") && ended.output.isEmpty)
    }
}
