// SPDX-License-Identifier: Apache-2.0

import Statistics

/// One of the two builds or commands that are compared on one machine.
package enum Side: String, Codable, Hashable, Sendable, CaseIterable {
    /// What it is compared with.
    case base
    /// What is judged.
    case head
}

/// For what a pair of trials was done.
package enum PairStage: String, Codable, Hashable, Sendable {
    /// The first pair of each case, thrown away: caches of the machine are warm afterwards.
    case warmup
    /// The pairs that every case gets.
    case screening
    /// The fresh pairs of a case that looked changed.
    case confirmation
}

/// One trial of a comparison, as its log keeps it.
package struct PairedTrial: Codable, Hashable, Sendable {
    /// Which build it ran.
    package var side: Side
    /// For what it was done.
    package var stage: PairStage
    /// The trial.
    package var trial: Trial
}

/// The trials of one case on both sides.
package struct PairedTrials: Hashable, Sendable {
    /// The trials of the base, in the order of the pairs.
    package var base: [Trial] = []
    /// The trials of the head, in the order of the pairs.
    package var head: [Trial] = []

    /// Creates an empty set.
    package init() {}

    /// Creates a set.
    package init(base: [Trial], head: [Trial]) {
        self.base = base
        self.head = head
    }

    /// The trials of a side.
    package subscript(side: Side) -> [Trial] {
        get { side == .base ? base : head }
        set { if side == .base { base = newValue } else { head = newValue } }
    }
}

/// Runs two builds pair by pair: what the machine does, it does to both.
package actor PairedRunner {
    /// What happens meanwhile.
    package enum Event: Sendable {
        /// A trial begins.
        case began(Case, Side, PairStage, position: Int, of: Int)
        /// A trial ended and is stored.
        case ended(PairedTrial)
    }

    private let baseRunner: SlotRunner
    private let headRunner: SlotRunner
    private let log: AppendingFile
    private var references: BodyReferences
    private var generator: SeededGenerator
    private var nextNumber = 1

    /// Creates a runner of two plans that have the same cases and assets.
    /// - Parameter folder: where each trial is appended the moment it ends.
    package init(
        base: (plan: Plan, surroundings: TrialSurroundings), head: (plan: Plan, surroundings: TrialSurroundings),
        folder: RunFolder
    ) throws(FetchBenchError) {
        baseRunner = try SlotRunner(plan: base.plan, surroundings: base.surroundings)
        headRunner = try SlotRunner(plan: head.plan, surroundings: head.surroundings)
        log = try AppendingFile(path: folder.path(of: .log), name: RunFolder.File.log.rawValue)
        references = BodyReferences(head.plan.assets)
        generator = SeededGenerator(seed: head.plan.seed)
    }

    /// Does pairs of trials: round by round, the cases in random order, and in each pair the sides in random order.
    /// - Throws: ``FetchBenchError`` where the harness cannot go on; `CancellationError` where it was stopped.
    package func pairs(
        of cells: [Case], count: Int, stage: PairStage, onEvent: @Sendable (Event) -> Void
    ) async throws -> [Case: PairedTrials] {
        var done: [Case: PairedTrials] = [:]
        let total = count * cells.count * 2
        var position = 0
        for _ in 0..<count {
            for cell in cells.shuffled(using: &generator) {
                for side in Side.allCases.shuffled(using: &generator) {
                    position += 1
                    onEvent(.began(cell, side, stage, position: position, of: total))
                    let trial = try await trial(of: cell, on: side, stage: stage)
                    done[cell, default: PairedTrials()][side].append(trial)
                    onEvent(.ended(PairedTrial(side: side, stage: stage, trial: trial)))
                }
            }
        }
        return done
    }

    private func trial(of cell: Case, on side: Side, stage: PairStage) async throws -> Trial {
        try Task.checkCancellation()
        let runner = side == .base ? baseRunner : headRunner
        let slot = Plan.Slot(trial: nextNumber, cell: cell, seed: generator.next())
        nextNumber += 1
        let (trial, _) = try await runner.trial(for: slot, asset: references.asset(of: cell))
        try Task.checkCancellation()
        references.learn(from: trial)
        let line = try RunCoding.compactText(of: PairedTrial(side: side, stage: stage, trial: trial))
        try log.append(line)
        return trial
    }
}
