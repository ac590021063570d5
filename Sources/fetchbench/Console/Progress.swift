// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem
import Synchronization

/// Shows the progress of measuring, and warns at once of failed trials, once for each cause.
final class Progress: Sendable {
    private let display: ProgressDisplay
    private let isQuiet: Bool
    private let complaints = Mutex<Set<String>>([])

    /// - Parameter usual: The duration of a trial, if some are done already.
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

    func finish() {
        display.finish()
    }
}
