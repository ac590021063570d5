// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import Support

/// Shows how far commands are measured, and says at once which one was given up and why.
struct ExecProgress: Sendable {
    private let display: ProgressDisplay

    init(_ style: ProgressVoice.Style) {
        display = ProgressDisplay(style, "preparing")
    }

    func show(_ event: ExecRunner.Event) {
        switch event {
        case .began(let cell, let isWarmup, let position, let count):
            display.began(
                ProgressBoard.Item(cell.name, group: isWarmup ? "warm-up" : nil, position: position, of: count))
        case .failed(let trial):
            display.interrupted { Console.complain("skipping \(trial.name): \(trial.failureText)") }
        }
    }

    /// Wipes the line.
    func finish() {
        display.finish()
    }
}
