// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Runs
import Synchronization

/// Shows how far a session has come, and says at once when a trial fails.
final class Progress: Sendable {
    private let display: ProgressDisplay
    private let isQuiet: Bool
    private let complaints = Mutex<Set<String>>([])

    /// - Parameter usual: how long a trial took that is done already, where there are any.
    init(_ style: ProgressVoice.Style, usual: Duration?, isQuiet: Bool) {
        display = ProgressDisplay(style, "preparing", usual: usual)
        self.isQuiet = isQuiet
    }

    func show(_ event: SessionEvent) {
        switch event {
        case .warmsUp(let step): display.began(ProgressBoard.Item(step, isWarmup: true))
        case .began(let step): display.began(ProgressBoard.Item(step))
        case .ended(let trial, _): ended(trial)
        }
    }

    /// Wipes the line.
    func finish() {
        display.finish()
    }

    private func ended(_ trial: Trial) {
        guard !trial.isCompleted, !isQuiet else { return }
        let side = trial.pairing.map { $0.side.rawValue + ", " } ?? ""
        let what = "\(side)\(trial.cell.identifier): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
        guard complaints.withLock({ $0.insert(what).inserted }) else { return }
        display.interrupted { Console.warn("trial \(trial.number), \(what)") }
    }
}

extension ProgressBoard.Item {
    /// A trial of a session.
    init(_ step: SessionStep, isWarmup: Bool = false) {
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        self.init(
            step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
            position: step.position,
            of: step.count)
    }
}
