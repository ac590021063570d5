// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct TrialChargeTests {
    private static func charge(_ total: Int, anonymous: Int = 0) -> MemoryCharge {
        MemoryCharge(
            total: .mebibytes(total), anonymous: .mebibytes(anonymous),
            pageCache: .mebibytes(total - anonymous), sharedMemory: .zero)
    }

    /// A trial whose charge had these totals in MiB at these offsets from its mark, in milliseconds.
    private func trial(
        peak: Int, kills: Int = 0, _ samples: [(offset: Int, total: Int)],
        _ synthetic: SyntheticTrial = SyntheticTrial()
    ) throws -> Trial {
        let mark = try #require(synthetic.report().baseline).memory.timeNanoseconds
        var assembler = TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60)
        assembler.charge = ChargeSeries(
            samples: samples.map {
                ChargeSampler.Sample(timeNanoseconds: mark + $0.offset * 1_000_000, charge: Self.charge($0.total))
            }, peak: ChargePeak(total: .mebibytes(peak), errorBound: .zero), killCount: kills)
        return try assembler.trial(of: synthetic.end())
    }

    @Test func growthIsTheKernelsMarkOverTheChargeAtTheMark() throws {
        let trial = try trial(peak: 99, [(-9, 4), (-1, 5), (100, 60), (150, 98), (400, 20)])
        #expect(trial.charge?.growth == .mebibytes(94))
        #expect(trial.charge?.highest == Self.charge(98))
        #expect(trial.charge?.baseline == Self.charge(5))
        #expect(Metric.chargedPeak.value(trial) == Double(99 << 20))
    }

    @Test func aHigherChargeBeforeTheMarkIsNoGrowth() throws {
        let trial = try trial(peak: 99, [(-9, 98), (-1, 5), (100, 60), (400, 20)])
        #expect(trial.charge?.growth == .mebibytes(55))
    }

    @Test func withoutAMarkThereIsNoGrowth() throws {
        let trial = try trial(peak: 99, [(5, 60)])
        #expect(trial.charge?.growth == nil && trial.charge?.peak.total == .mebibytes(99))
    }

    @Test func eachPhaseHasTheChargeAtItsEnd() throws {
        let trial = try trial(peak: 99, [(-1, 5), (5000, 12)])
        #expect(Set(trial.charge?.phaseEnds.keys.map(\.self) ?? []) == Set(Phase.measured.map(\.rawValue)))
    }

    @Test func aProcessKilledForALimitIsTheOutcome() throws {
        var synthetic = SyntheticTrial()
        synthetic.cell.conditions.containerLimit = .mebibytes(64)
        let killed = try trial(peak: 64, kills: 1, [(-1, 5), (10, 64)], synthetic)
        #expect(killed.outcome.kind == .killedByLimit && killed.outcome.detail.contains("64.0 MiB"))
        let other = try trial(peak: 64, kills: 1, [(-1, 5), (10, 64)])
        #expect(other.outcome.kind == .killedByLimit && other.outcome.detail.contains("of the machine"))
        #expect(try trial(peak: 64, [(-1, 5), (10, 64)]).outcome == .completed)
    }

    @Test func aChargeSurvivesStorage() throws {
        let trial = try trial(peak: 99, [(-1, 5), (100, 60)])
        let text = try RunCoding.compactText(of: trial)
        #expect(try JSONDecoder().decode(Trial.self, from: Data(text.utf8)) == trial)
    }

    @Test func impossibleChargesAreMistakes() throws {
        var trial = try trial(peak: 99, [(-1, 5), (100, 60)])
        trial.charge?.peak.total = ByteCount(-1)
        #expect(!trial.mistakes(limits: .any).isEmpty)
    }

    @Test func wordsNameTheLargeParts() {
        #expect(Self.charge(64, anonymous: 60).words == "64.0 MiB (60.0 anonymous, 4.0 page cache)")
        #expect(Self.charge(3, anonymous: 3).words == "3.0 MiB (3.0 anonymous)")
    }

    @Test(arguments: [
        ControlGroupObstacle.noController, .notMounted, .hidden, .readOnly, .otherOwner, .notDelegated,
        .occupied(processes: 3), .refused(28),
    ])
    func everyObstacleHasARemedy(obstacle: ControlGroupObstacle) {
        let finding = ControlGroupAbility.finding(of: obstacle, in: nil)
        #expect(finding.state == .limited && finding.remedy?.isEmpty == false)
        #expect(finding.detail.contains(obstacle.description))
    }
}
