// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Runs two builds in pairs of trials, so that disturbances of the machine affect both.
///
/// The order follows from the seed and from earlier measurements: a resumed session repeats the same sequence and runs
/// only the missing trials.
package actor PairedRunner {
    private let recorder: TrialRecorder
    private var generator: SeededGenerator
    private var nextNumber = 1

    package init(
        _ session: Session, base: TrialRecorder.Arm, head: TrialRecorder.Arm,
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        recorder = try TrialRecorder(session, arms: [.base: base, .head: head], onEvent: onEvent)
        generator = SeededGenerator(seed: session.record.plan.seed)
    }

    /// Runs pairs of trials: round by round, cases in random order, and sides in random order within each pair.
    /// - Throws: ``FetchBenchError`` if the harness cannot continue; `CancellationError` if it was stopped.
    package func pairs(of cells: [Case], count: Int, stage: PairStage) async throws -> [Case: PairedTrials] {
        var done: [Case: PairedTrials] = [:]
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
                let step = SessionStep(
                    slot: slot, pairing: Pairing(side: side, stage: stage), position: position, count: 2 * turn.count)
                done[turn.subject, default: PairedTrials()][side].append(try await recorder.trial(for: step))
            }
        }
        return done
    }
}
