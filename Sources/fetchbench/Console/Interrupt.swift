// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Does some work that a signal can stop: Ctrl-C, a closed terminal, a polite kill.
enum Interrupt {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs `work` as a task that any of the signals cancels, and waits for its end either way.
    static func whileListening<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return try await task.value
    }
}
