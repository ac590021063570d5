// SPDX-License-Identifier: Apache-2.0

package import Runs
import Statistics

/// Runs two builds pair by pair: what the machine does, it does to both.
///
/// What comes when follows from the seed and from what was measured before: a session that is resumed goes through the
/// same sequence, and does what is not there yet.
package actor PairedRunner {
    private let recorder: TrialRecorder
    private var generator: SeededGenerator
    private var nextNumber = 1

    /// Creates a runner of two arms that have the same cases and assets.
    package init(
        _ session: Session, base: TrialRecorder.Arm, head: TrialRecorder.Arm,
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(FetchBenchError) {
        recorder = try TrialRecorder(session, arms: [.base: base, .head: head], onEvent: onEvent)
        generator = SeededGenerator(seed: session.record.plan.seed)
    }

    /// Does pairs of trials: round by round, the cases in random order, and in each pair the sides in random order.
    /// - Throws: ``FetchBenchError`` where the harness cannot go on; `CancellationError` where it was stopped.
    package func pairs(of cells: [Case], count: Int, stage: PairStage) async throws -> [Case: PairedTrials] {
        var done: [Case: PairedTrials] = [:]
        // One seed for both: what a trial draws by chance, its counterpart draws, too.
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
