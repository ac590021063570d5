// SPDX-License-Identifier: Apache-2.0

import CSignals
import Dispatch
import Glibc
import OperatingSystem
import Texts

/// Runs `work` as a task that SIGINT, SIGHUP and SIGTERM cancel, and waits for its end either way.
///
/// From the first line of `work` on, no signal is lost, and the first one does not end the process; a second one does.
/// Afterwards signals have their usual effect again.
/// - Parameters:
///   - isContinued: True if more work follows: a signal until then cancels that work as it begins.
///   - stop: The request that SIGTERM makes instead of cancelling the work; `nil` for work that it cancels.
package func whileListeningForSignals<Value: Sendable>(
    isContinued: Bool = false, stop: RunMeasurement.StopRequest? = nil,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let signals = csignals_catch()
    guard signals >= 0 else { throw FetchBenchError.cannotWrite(name: "a pipe for signals", errno: errno) }
    let task = Task { try await work() }
    let source = DispatchSource.makeReadSource(fileDescriptor: signals, queue: .global())
    source.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(signals, &bytes, bytes.count)
        if let stop, count > 0, bytes[..<count].allSatisfy({ $0 == SIGTERM }) { stop.make() } else { task.cancel() }
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
