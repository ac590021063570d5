// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own for a call that blocks: those of Swift's tasks must not wait, and Foundation's would bring
/// Foundation into programs that need nothing else of it.
public enum DetachedThread {
    /// Does something on a new thread, which ends with it.
    /// - Throws: ``FetchFailure`` where the system gives no thread.
    public static func run(_ work: @escaping @Sendable () -> Void) throws(FetchFailure) {
        let box = Unmanaged.passRetained(Work(work))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Detached from its first instruction on: glibc's `pthread_detach` (2.36) reads the thread's block after it gave it
        // away, and crashes where the thread has ended and unmapped it by then.
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().perform() }
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            throw FetchFailure(errno: status, "no thread could be had")
        }
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

    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }
}
