// SPDX-License-Identifier: Apache-2.0

import CSignals
import Dispatch
import Glibc
import OperatingSystem

/// Cancels work on SIGINT, SIGHUP and SIGTERM; a second signal ends the process.
enum Interrupt {
    /// Runs `work` as a task that any of the signals cancels, and waits for its end either way.
    ///
    /// From the first line of `work` on, no signal is lost, and the first one does not end the process. Afterwards
    /// signals have their usual effect again.
    /// - Parameter isContinued: True if more work follows: a signal until then cancels that work as it begins.
    static func whileListening<Value: Sendable>(
        isContinued: Bool = false, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = csignals_catch()
        guard signals >= 0 else { throw FileFailure.cannotWrite(name: "a pipe for signals", errno: errno) }
        let task = Task { try await work() }
        let source = DispatchSource.makeReadSource(fileDescriptor: signals, queue: .global())
        source.setEventHandler {
            var bytes: (UInt64, UInt64) = (0, 0)
            _ = withUnsafeMutableBytes(of: &bytes) { read(signals, $0.baseAddress, $0.count) }
            task.cancel()
        }
        source.resume()
        defer {
            source.cancel()
            if isContinued { csignals_hold() } else { csignals_release() }
        }
        do {
            return try await task.value
        } catch {
            // Any error after a signal is a consequence of it, such as an origin that is stopped while it starts.
            throw task.isCancelled ? CancellationError() : error
        }
    }
}
