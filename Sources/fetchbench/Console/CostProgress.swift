// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Runs

/// Shows how far costs are measured, and says at once which program was given up and why.
struct CostProgress: Sendable {
    private let display: ProgressDisplay

    init(_ style: ProgressVoice.Style) {
        display = ProgressDisplay(style, "preparing")
    }

    func show(_ event: CostRunner.Event) {
        switch event {
        case .began(let subject, let position, let count):
            display.began(ProgressBoard.Item(name(of: subject), position: position, of: count))
        case .failed(let subject, let failure):
            display.interrupted { Console.complain("skipping \(name(of: subject)): \(failure.reason)") }
        }
    }

    /// Wipes the line.
    func finish() {
        display.finish()
    }

    private func name(of subject: CostSubject) -> String {
        "\(subject.program.name) (\(subject.linkage.rawValue))"
    }
}
