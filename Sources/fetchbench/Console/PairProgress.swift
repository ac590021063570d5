// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Synchronization

/// Shows how far a comparison has come, and says at once when a trial fails.
final class PairProgress: Sendable {
    private let isDrawn: Bool
    private let isQuiet: Bool
    private let complaints = Mutex<Set<String>>([])

    init(isDrawn: Bool, isQuiet: Bool) {
        self.isDrawn = isDrawn
        self.isQuiet = isQuiet
    }

    func show(_ event: PairedRunner.Event) {
        switch event {
        case .began(let cell, let side, let stage, let position, let count):
            guard isDrawn else { return }
            Console.redraw("\(stage.rawValue) [\(position)/\(count)] \(cell.identifier), \(side.rawValue)")
        case .ended(let paired):
            complain(about: paired)
        }
    }

    /// Wipes the line.
    func finish() {
        if isDrawn { Console.redraw("") }
    }

    private func complain(about paired: PairedTrial) {
        let trial = paired.trial
        guard !trial.isCompleted, !isQuiet else { return }
        let what =
            "\(paired.side.rawValue), \(trial.cell.identifier): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
        guard complaints.withLock({ $0.insert(what).inserted }) else { return }
        finish()
        Console.warn(what)
    }
}
