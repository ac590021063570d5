// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import MemProbe
import Synchronization

/// A semaphore of threads; its methods block, so they must not be called in tasks.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() {
        semaphore.signal()
    }

    /// Waits without a limit: a probe that hangs is an observation.
    func take(_ count: Int = 1) {
        for _ in 0..<count { semaphore.wait() }
    }

    /// Waits with a limit; returns false if it was reached.
    func take(within seconds: Int) -> Bool {
        semaphore.wait(timeout: .now() + .seconds(seconds)) == .success
    }
}

/// A flag that is true the first time it is taken.
final class Once: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { taken in
            defer { taken = true }
            return !taken
        }
    }

    func reset() {
        isTaken.withLock { $0 = false }
    }
}

/// A file for bodies, whose content is evidence.
final class BodyFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws(ProbeError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProbeError("a file cannot be made: error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    func append(_ data: Data) {
        lseek(descriptor, 0, SEEK_END)
        _ = SystemCall.writeAll(data, to: descriptor)
    }

    func empty() {
        ftruncate(descriptor, 0)
    }

    var byteCount: Int {
        Int(lseek(descriptor, 0, SEEK_END))
    }
}

extension ProbeContext {
    /// Reports the code of the caller's error, or `none`.
    func report(error: (any Error)?) {
        report("error", error.map { "\(($0 as NSError).code)" } ?? "none")
    }

    /// Returns an observer of the end that reports its error and signals.
    func reporting(_ end: Signal) -> @Sendable ((any Error)?) -> Void {
        { error in
            report(error: error)
            end.give()
        }
    }

    func leave(_ name: String, _ data: Data = Data()) throws {
        try data.write(to: URL(fileURLWithPath: file(name)))
    }
}

extension URLSession {
    /// A session without a cache on an ephemeral configuration.
    static func plain(
        delegate: (any URLSessionDelegate)? = nil, queue: OperationQueue? = nil,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configure(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
}
