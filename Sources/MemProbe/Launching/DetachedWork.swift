// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A detached thread's work.
package final class DetachedWork: Sendable {
    private let perform: @Sendable () -> Void

    private init(_ perform: @escaping @Sendable () -> Void) { self.perform = perform }

    /// Starts a thread that ends with its work; returns 0 or the error number of `pthread_create`.
    ///
    /// `stackSize` is in bytes; `nil` for the system's.
    package static func begin(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) -> CInt {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Created detached: glibc's `pthread_detach` (2.36) reads the thread's block afterwards and crashes if the
        // thread has ended and unmapped it by then.
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
