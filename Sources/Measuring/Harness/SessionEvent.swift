// SPDX-License-Identifier: Apache-2.0

package import OperatingSystem
package import Runs

/// One trial of a session and its place in the sequence.
package struct SessionStep: Hashable, Sendable {
    package var slot: Plan.Slot
    /// The side and stage of a pair; `nil` in a run.
    package var pairing: Pairing?
    /// The number of the trial, from 1, of those that are known to come.
    package var position: Int
    /// The number of trials known to come: all of a run, or those of a stage of a comparison.
    package var count: Int
}

/// An event for the display of progress.
package enum SessionEvent: Sendable {
    case began(ProgressBoard.Item)
    /// A failed process, its description, and its cause, by which failures are grouped.
    case failed(_ which: String, _ what: String, cause: String)

    static func began(_ step: SessionStep, isWarmup: Bool = false) -> SessionEvent {
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        return .began(
            ProgressBoard.Item(
                step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
                position: step.position, of: step.count))
    }

    /// The event of a trial that ended and is stored; `nil` if it completed.
    static func ended(_ trial: Trial) -> SessionEvent? {
        guard !trial.isCompleted else { return nil }
        let place = (trial.pairing.map { $0.side.rawValue + ", " } ?? "") + trial.cell.identifier
        return .failed(
            "trial \(trial.number)", "\(place): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)",
            cause: "\(place): \(trial.outcome.cause)")
    }
}
