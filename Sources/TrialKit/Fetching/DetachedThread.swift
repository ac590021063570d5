// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// A thread of its own for a call that blocks: those of Swift's tasks must not wait, and Foundation's would bring
/// Foundation into programs that need nothing else of it.
public enum DetachedThread {
    /// Does something on a new thread, which ends with it.
    /// - Throws: ``FetchFailure`` where the system gives no thread.
    public static func run(_ work: @escaping @Sendable () -> Void) throws(FetchFailure) {
        let status = DetachedWork.begin(work)
        guard status == 0 else { throw FetchFailure(errno: status, "no thread could be had") }
    }

    /// Makes a call that blocks on a new thread, and waits for its result without blocking the thread of the caller's task.
    ///
    /// What a mode with the ability ``ModeAbility/concurrency`` does around a client that blocks. The thread is not told that
    /// the task was cancelled.
    /// - Throws: ``FetchFailure`` from the call, or where the system gives no thread.
    public static func value<Value: Sendable>(
        of call: @escaping @Sendable () throws(FetchFailure) -> Value
    ) async throws(FetchFailure) -> Value {
        let result: Result<Value, FetchFailure> = await withCheckedContinuation { continuation in
            do throws(FetchFailure) {
                try run { continuation.resume(returning: Result { () throws(FetchFailure) in try call() }) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}
