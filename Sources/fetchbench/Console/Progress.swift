// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Synchronization

/// Shows how far a run has come, on a terminal alone, and says at once when a trial fails.
final class Progress: Sendable {
    private struct State {
        var firstPosition: Int?
        var complaints: Set<String> = []
    }

    private let isDrawn: Bool
    private let isQuiet: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(isDrawn: Bool, isQuiet: Bool) {
        self.isDrawn = isDrawn
        self.isQuiet = isQuiet
    }

    func show(_ event: RunEvent) {
        switch event {
        case .began(let slot, let position, let count): began(slot, position, count)
        case .ended(let trial, _, _): ended(trial)
        }
    }

    /// Wipes the line.
    func finish() {
        if isDrawn { Console.redraw("") }
    }

    private func began(_ slot: Plan.Slot, _ position: Int, _ count: Int) {
        guard isDrawn else { return }
        let first = state.withLock { state in
            state.firstPosition = state.firstPosition ?? position
            return state.firstPosition ?? position
        }
        let elapsed = start.duration(to: .now)
        let done = position - first
        let estimate = done > 0 ? ", about \(Self.clock(elapsed / done * (count - position + 1))) left" : ""
        Console.redraw("[\(position)/\(count)] \(slot.cell.identifier)  \(Self.clock(elapsed)) elapsed\(estimate)")
    }

    private func ended(_ trial: Trial) {
        guard !trial.isCompleted, !isQuiet else { return }
        let what = "\(trial.cell.identifier): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)"
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
