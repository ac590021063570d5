// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Synchronization

/// Says on standard error how far long work has come: to a terminal each second, to a log every half a minute.
///
/// It wakes up once each time and draws one line; nothing of it is in a measured process. What it costs is less than what
/// the sampler does in a millisecond.
final class ProgressDisplay: Sendable {
    private struct State {
        var voice: ProgressVoice
        var ticking: Task<Void, Never>?
        var isOver = false
    }

    private let isRedrawn: Bool
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    /// Begins.
    /// - Parameters:
    ///   - activity: what goes on before the first thing begins.
    ///   - usual: how long one thing takes, where that is known.
    ///   - now: the time since the beginning.
    init(
        _ style: ProgressVoice.Style, _ activity: String, usual: Duration? = nil,
        now: @escaping @Sendable () -> Duration = ProgressDisplay.clock()
    ) {
        isRedrawn = style == .redrawn
        self.now = now
        state = Mutex(State(voice: ProgressVoice(style, of: ProgressBoard(activity, usual: usual))))
        guard let interval = style.interval else { return }
        let ticking = Task { [weak self] in
            while (try? await Task.sleep(for: interval, tolerance: .milliseconds(50))) != nil, let self { self.tick() }
        }
        state.withLock { $0.ticking = ticking }
    }

    deinit {
        state.withLock { $0.ticking?.cancel() }
    }

    /// The time since now.
    static func clock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    /// A thing begins.
    func began(_ item: ProgressBoard.Item) {
        state.withLock { state in say(state.isOver ? nil : state.voice.began(item, at: now())) }
    }

    /// Says something else, which stays.
    func interrupted(by speech: () -> Void) {
        state.withLock { _ in
            wipe()
            speech()
        }
    }

    /// Says nothing any more, and wipes the line.
    func finish() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            state.ticking?.cancel()
            wipe()
        }
    }

    private func tick() {
        state.withLock { state in say(state.isOver ? nil : state.voice.tick(at: now())) }
    }

    private func say(_ saying: ProgressVoice.Saying?) {
        switch saying {
        case .redraw(let line): Console.redraw(line)
        case .line(let line): Console.complain(line)
        case nil: break
        }
    }

    private func wipe() {
        if isRedrawn { Console.redraw("") }
    }
}
