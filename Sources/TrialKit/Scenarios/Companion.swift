// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A second process of the same program that plays the outer part of a scenario, and is measured by nobody.
///
/// It is spoken with in lines, and ends with its input, or with this process.
public final class Companion: Sendable {
    /// The argument of a program that is started as one, before the name of the scenario.
    static let argument = "--accompany"

    private struct State {
        var lines: [String] = []
        var waiter: CheckedContinuation<String?, Never>?
        var hasEnded = false
        /// How it ended, or why it never began.
        var ending: FetchFailure?
    }

    private let state = Mutex(State())
    private let line: OwnProgram

    /// Starts it.
    /// - Throws: ``FetchFailure`` where no process or no thread can be had.
    public init(of scenario: any AccompaniedScenario) throws(FetchFailure) {
        line = try OwnProgram()
        // The kernel ends a child with the thread that has started it: this one lives as long as the child.
        try DetachedThread.run { [self, name = scenario.name] in run(["companion", Self.argument, name]) }
    }

    /// Says a line to it, and waits for the line that it answers.
    /// - Throws: ``FetchFailure`` where it has ended, or could not be started; standard error may say why.
    public func ask(_ text: String) async throws(FetchFailure) -> String {
        if line.send(text + "\n"), let answer = await next() { return answer }
        while await next() != nil {}
        throw state.withLock { $0.ending } ?? FetchFailure(.other, "the scenario's second process has ended")
    }

    /// Ends it, and waits until it is gone.
    public func finish() async {
        line.endInput()
        while await next() != nil {}
    }

    private func next() async -> String? {
        await withCheckedContinuation { continuation in
            let answer: String?? = state.withLock { state in
                if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
                if state.hasEnded { return .some(nil) }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Starts the process and reads what it says, until it has ended.
    private func run(_ arguments: [String]) {
        let ending = ending(of: arguments)
        let waiter = state.withLock { state in
            state.hasEnded = true
            state.ending = ending
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// Why there is no process any more.
    private func ending(of arguments: [String]) -> FetchFailure {
        do throws(FetchFailure) {
            let process = try line.start(arguments)
            line.readLines(deliver)
            return FetchFailure(.other, "the scenario's second process has ended \(OwnProgram.ending(of: process))")
        } catch {
            return error
        }
    }

    private func deliver(_ line: String) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter.take() else {
                state.lines.append(line)
                return nil as CheckedContinuation<String?, Never>?
            }
            return waiter
        }
        waiter?.resume(returning: line)
    }
}
