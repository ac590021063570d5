// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A second process of the same program that plays the outer part of a scenario and is not measured.
///
/// It exchanges lines of text, and ends with its input or with this process.
public final class Companion: Sendable {
    /// The first argument of such a process, before the name of the scenario.
    static let argument = "--accompany"

    private struct State {
        var lines: [String] = []
        var waiter: CheckedContinuation<String?, Never>?
        var hasEnded = false
        /// The way it ended, or the reason why it did not start.
        var ending: FetchFailure?
    }

    private let state = Mutex(State())
    private let line: OwnProgram

    /// Starts the process.
    /// - Parameter scenario: The scenario whose outer part it plays.
    /// - Throws: ``FetchFailure`` if no process or thread can be created.
    public init(of scenario: any AccompaniedScenario) throws(FetchFailure) {
        line = try OwnProgram()
        // The kernel ends a child with the thread that started it: this one lives as long as the child.
        try DetachedThread.run { [self, name = scenario.name] in run(["companion", Self.argument, name]) }
    }

    /// Sends a line and returns the line that it responds with.
    /// - Parameter text: The line, without its end.
    /// - Throws: ``FetchFailure`` if the process has ended or could not be started; standard error may say why.
    public func ask(_ text: String) async throws(FetchFailure) -> String {
        if line.send(text + "\n"), let answer = await next() { return answer }
        while await next() != nil {}
        throw state.withLock { $0.ending } ?? FetchFailure(.other, "the scenario's second process has ended")
    }

    /// Ends the process and waits for its end.
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

    /// Starts the process and reads its lines until it ends.
    private func run(_ arguments: [String]) {
        let ending = ending(of: arguments)
        let waiter = state.withLock { state in
            state.hasEnded = true
            state.ending = ending
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

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
            if state.waiter == nil { state.lines.append(line) }
            return state.waiter.take()
        }
        waiter?.resume(returning: line)
    }
}
