// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a new thread does, which nothing waits for.
package final class DetachedWork: Sendable {
    private let perform: @Sendable () -> Void

    private init(_ perform: @escaping @Sendable () -> Void) { self.perform = perform }

    /// Begins a thread, which ends with its work.
    /// - Parameter stackSize: In bytes; the system's where none is given.
    /// - Returns: 0, or the error number where the system gives no thread.
    package static func begin(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) -> CInt {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Detached from its first instruction on: glibc's `pthread_detach` (2.36) reads the thread's block after it gave it
        // away, and crashes where the thread has ended and unmapped it by then.
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(DetachedWork(work))
        let status = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<DetachedWork>.fromOpaque(context).takeRetainedValue().perform() }
                return nil
            }, context.toOpaque())
        if status != 0 { context.release() }
        return status
    }
}
