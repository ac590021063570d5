// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Synchronization

/// Shows how far measuring has come, and says at once when a trial fails.
final class Progress: Sendable {
    private let display: ProgressDisplay
    private let isQuiet: Bool
    private let complaints = Mutex<Set<String>>([])

    /// - Parameter usual: how long a trial took that is done already, where there are any.
    init(_ style: ProgressVoice.Style, usual: Duration? = nil, isQuiet: Bool = false) {
        display = ProgressDisplay(style, "preparing", usual: usual)
        self.isQuiet = isQuiet
    }

    func show(_ event: SessionEvent) {
        switch event {
        case .began(let item): display.began(item)
        case .failed(let which, let what):
            guard !isQuiet, complaints.withLock({ $0.insert(what).inserted }) else { return }
            display.interrupted { Console.warn("\(which), \(what)") }
        }
    }

    /// Wipes the line.
    func finish() {
        display.finish()
    }
}
