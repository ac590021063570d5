// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Synchronization

/// Shows how far a session has come, on a terminal alone, and says at once when a trial fails.
final class Progress: Sendable {
    private struct State {
        var stage: PairStage?
        var firstPosition: Int?
        var start = ContinuousClock.now
        var complaints: Set<String> = []
    }

    private let isDrawn: Bool
    private let isQuiet: Bool
    private let state = Mutex(State())

    init(isDrawn: Bool, isQuiet: Bool) {
        self.isDrawn = isDrawn
        self.isQuiet = isQuiet
    }

    func show(_ event: SessionEvent) {
        switch event {
        case .began(let step): began(step)
        case .ended(let trial, _): ended(trial)
        }
    }

    /// Wipes the line.
    func finish() {
        if isDrawn { Console.redraw("") }
    }

    private func began(_ step: SessionStep) {
        guard isDrawn else { return }
        let (first, start) = state.withLock { state in
            // How long a stage takes says nothing of the next one, which may have other cases.
            if state.stage != step.pairing?.stage || state.firstPosition == nil {
                state.stage = step.pairing?.stage
                state.firstPosition = step.position
                state.start = ContinuousClock.now
            }
            return (state.firstPosition ?? step.position, state.start)
        }
        let elapsed = start.duration(to: .now)
        let done = step.position - first
        let estimate = done > 0 ? ", about \(Self.clock(elapsed / done * (step.count - step.position + 1))) left" : ""
        let stage = step.pairing.map { $0.stage.rawValue + " " } ?? ""
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        Console.redraw(
            "\(stage)[\(step.position)/\(step.count)] \(step.slot.cell.identifier)\(side)  \(Self.clock(elapsed)) elapsed"
                + estimate)
    }

    private func ended(_ trial: Trial) {
        guard !trial.isCompleted, !isQuiet else { return }
        let side = trial.pairing.map { $0.side.rawValue + ", " } ?? ""
        let what = "\(side)\(trial.cell.identifier): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
        guard state.withLock({ $0.complaints.insert(what).inserted }) else { return }
        finish()
        Console.warn("trial \(trial.number), \(what)")
    }

    private static func clock(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds)
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
