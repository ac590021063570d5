// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc
import Synchronization

/// The requests of other threads to the thread that waits for a child.
final class ChildControl: Sendable {
    struct Requests: Sendable {
        var signals: [Int32] = []
        /// The answer to its last line, possibly empty; `nil` if there is none yet.
        var answer: [UInt8]?
        /// The nanoseconds it has to exit, or `nil` if it need not.
        var patience: Int?
        var isCancelled = false
    }

    private let requests = Mutex(Requests())
    private let ends: (read: Int32, write: Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        if cmemprobe_make_pipe(&pair) != 0 { pair = [-1, -1] }
        for end in pair { setNonBlocking(end) }
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// The descriptor that becomes readable with a request.
    var descriptor: Int32 { ends.read }

    func order(_ signal: Int32) { request { $0.signals.append(signal) } }

    func answer(_ bytes: [UInt8]) { request { $0.answer = bytes } }

    /// Ends the child's input and asks it to exit.
    func leave(within patience: Int) { request { $0.patience = patience } }

    func cancel() { request { $0.isCancelled = true } }

    func take() -> Requests {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(ends.read, &bytes, bytes.count) > 0 {}
        return requests.withLock { requests in
            defer { requests = Requests(isCancelled: requests.isCancelled) }
            return requests
        }
    }

    private func request(_ change: (inout Requests) -> Void) {
        requests.withLock { change(&$0) }
        var byte: UInt8 = 1
        // If the pipe is full, the wake-up is already pending.
        _ = write(ends.write, &byte, 1)
    }
}

func setNonBlocking(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
}

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

extension DetachedWork {
    /// Runs `body` on a new thread with all signals blocked; if none can be started, `otherwise` instead, or `body` on the
    /// calling thread.
    ///
    /// Signals belong to the program's own threads, and a write to a closed pipe has to fail instead of killing this process.
    static func run(otherwise: (() -> Void)? = nil, _ body: @escaping @Sendable () -> Void) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        if begin(stackSize: 1 << 20, body) != 0 { (otherwise ?? body)() }
    }
}
