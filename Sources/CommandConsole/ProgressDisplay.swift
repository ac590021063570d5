// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows the progress of long work on standard error: on a terminal each second, in a log after the first second and
/// then every half a minute.
///
/// It wakes up once for each line, outside of any measured process, and costs less than 1 ms of sampling at 1 kHz.
package final class ProgressDisplay: Sendable {
    private struct State {
        var voice: ProgressVoice
        var ticking: Task<Void, Never>?
        var isOver = false
    }

    private let isRedrawn: Bool
    private let start = ContinuousClock.now
    private let complaints = Mutex<Set<String>>([])
    private let state: Mutex<State>

    /// - Parameters:
    ///   - activity: The work before the first item begins.
    ///   - usual: The duration of one item, if known.
    package init(_ style: ProgressVoice.Style, _ activity: String, usual: Duration? = nil) {
        isRedrawn = style == .redrawn
        state = Mutex(State(voice: ProgressVoice(style, of: ProgressBoard(activity, usual: usual))))
        guard let intervals = style.intervals else { return }
        let ticking = Task { [weak self] in
            var interval = intervals.first
            while (try? await Task.sleep(for: interval, tolerance: .milliseconds(50))) != nil, let self {
                self.tick()
                interval = intervals.rest
            }
        }
        state.withLock { $0.ticking = ticking }
    }

    deinit {
        state.withLock { $0.ticking?.cancel() }
    }

    private var elapsed: Duration { start.duration(to: .now) }

    /// Shows an event; a failed trial is a warning at once, unless quiet, but one for each cause.
    package func show(_ event: RunMeasurement.Event, isQuiet: Bool = false) {
        switch event {
        case .began(let item): began(item)
        case .failed(let which, let what, let cause):
            guard !isQuiet, complaints.withLock({ $0.insert(cause).inserted }) else { return }
            interrupted { Console.warn("\(which), \(what)") }
        }
    }

    package func began(_ item: ProgressBoard.Item) {
        state.withLock { state in say(state.isOver ? nil : state.voice.began(item, at: elapsed)) }
    }

    package func began(_ purpose: String, _ cell: Case, _ position: Int, of count: Int) {
        began(ProgressBoard.Item(cell.identifier, group: purpose, position: position, of: count))
    }

    package func interrupted(by speech: () -> Void) {
        state.withLock { _ in
            wipe()
            speech()
        }
    }

    package func finish() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            state.ticking?.cancel()
            wipe()
        }
    }

    private func tick() {
        state.withLock { state in say(state.isOver ? nil : state.voice.tick(at: elapsed)) }
    }

    private func say(_ saying: ProgressVoice.Saying?) {
        switch saying {
        case .redraw(let line): Console.redraw(line)
        case .line(let line): Console.note("fetchbench: " + line)
        case nil: break
        }
    }

    private func wipe() { if isRedrawn { Console.redraw("") } }
}

/// Runs work that shows its progress, and ends the command where a signal stops it.
/// - Parameters:
///   - activity: The work before the first item begins.
///   - remark: What the message of the interruption says of the result.
package func interruptible<Value: Sendable>(
    _ activity: String, isShown: Bool, remark: String,
    _ work: @escaping @Sendable (ProgressDisplay) async throws -> Value
) async throws -> Value {
    let display = ProgressDisplay(.here(isShown: isShown), activity)
    defer { display.finish() }
    do {
        return try await whileListeningForSignals { try await work(display) }
    } catch is CancellationError {
        display.finish()
        Console.note("interrupted; \(remark)")
        throw ExitCode.interrupted
    }
}

extension ProgressVoice.Style {
    /// The style for this process: depends on its standard error and its environment.
    package static func here(isShown: Bool) -> Self {
        guard isShown else { return .silent }
        return HarnessContext.here.drawsProgress ? .redrawn : .lines(every: interval)
    }

    /// The interval of lines in a log, from `FETCHBENCH_PROGRESS_SECONDS`; evaluated once, so that it warns once.
    private static let interval: Duration = {
        let name = "FETCHBENCH_PROGRESS_SECONDS"
        guard let text = HarnessContext.here.environment[name], !text.isEmpty else { return .seconds(30) }
        guard let seconds = Double(text), (0.1...86_400).contains(seconds) else {
            Console.warn("invalid \(name): expected seconds from 0.1 to 86400; progress is printed every 30 s")
            return .seconds(30)
        }
        return .seconds(seconds)
    }()
}
