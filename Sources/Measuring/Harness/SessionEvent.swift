// SPDX-License-Identifier: Apache-2.0

package import OperatingSystem
package import Runs

/// One trial of a session that is to be done, and where it stands.
package struct SessionStep: Hashable, Sendable {
    /// What is measured.
    package var slot: Plan.Slot
    /// On which side of a pair and for what; `nil` in a run.
    package var pairing: Pairing?
    /// Which one it is, from 1, of those that are known to come.
    package var position: Int
    /// How many are known to come: all of a run, those of a stage of a comparison.
    package var count: Int
}

/// What happens while rounds go on; whoever shows progress listens.
package enum SessionEvent: Sendable {
    /// A process begins.
    case began(ProgressBoard.Item)
    /// One did not go well: which one, and what is said of all that go alike once.
    case failed(_ which: String, _ what: String)

    /// A trial begins.
    static func began(_ step: SessionStep, isWarmup: Bool = false) -> SessionEvent {
        let side = step.pairing.map { ", " + $0.side.rawValue } ?? ""
        return .began(
            ProgressBoard.Item(
                step.slot.cell.identifier + side, group: isWarmup ? "warm-up" : step.pairing?.stage.rawValue,
                position: step.position, of: step.count))
    }

    /// A trial ended and is stored; `nil` where it went well.
    static func ended(_ trial: Trial) -> SessionEvent? {
        guard !trial.isCompleted else { return nil }
        let side = trial.pairing.map { $0.side.rawValue + ", " } ?? ""
        return .failed(
            "trial \(trial.number)",
            "\(side)\(trial.cell.identifier): \(trial.outcome.kind.rawValue): \(trial.outcome.detail)")
    }
}
