// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit

/// Shows how far costs are measured, and says at once which program was given up and why.
struct CostProgress: Sendable {
    let isDrawn: Bool

    func show(_ event: CostRunner.Event) {
        switch event {
        case .began(let subject, let position, let count):
            if isDrawn { Console.redraw("[\(position)/\(count)] \(name(of: subject))") }
        case .failed(let subject, let failure):
            finish()
            Console.complain("\(name(of: subject)) is given up: \(failure.reason)")
        }
    }

    /// Wipes the line.
    func finish() {
        if isDrawn { Console.redraw("") }
    }

    private func name(of subject: CostSubject) -> String {
        "\(subject.program.name) (\(subject.linkage.rawValue))"
    }
}
