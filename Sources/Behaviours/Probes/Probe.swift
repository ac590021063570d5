// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import FoundationNetworking
import Glibc
import MemProbe
import ProbeProtocol
import Synchronization

/// The child's side of an attempt: makes the calls and reports what only the caller can see, without judging.
package struct Probe: Sendable {
    package let name: String
    /// True if its process ends with the exit handlers of all libraries, which are a part of what is tried.
    package let runsExitHandlers: Bool
    package let run: @Sendable (ProbeContext) async throws -> Void

    package init(
        _ name: String, runsExitHandlers: Bool = false, run: @escaping @Sendable (ProbeContext) async throws -> Void
    ) { (self.name, self.runsExitHandlers, self.run) = (name, runsExitHandlers, run) }
}

package struct ProbeError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}

package enum ProbeCatalog {
    package static let all: [Probe] = [
        backPressure, resume, timeouts, connections, cancel, delivery, delegates, http, combine, harness,
        proxies, configurations, sessions, urlTasks, lengths, customProtocols, clientDefaults,
        publishers, publisherFailures, taskTrees, lostConnections, challenges,
        answerForms, tls, costs,
    ].flatMap(\.self)

    package static func probe(named name: String) -> Probe? {
        all.first { $0.name == name }
    }
}

package struct ProbeContext: Sendable {
    package var origin: String
    /// The folder for the probe's files, which is its `TMPDIR` too.
    package let directory: String
    /// The prefix of the origin's URLs over TLS; `nil` if the probe needs none.
    package let secureOrigin: String?
    /// The path of the PEM file with the authority of the origin's certificate, which the system does not trust.
    package let authority: String?

    package init(origin: String, directory: String, secureOrigin: String? = nil, authority: String? = nil) {
        (self.origin, self.directory, self.secureOrigin) = (origin, directory, secureOrigin)
        self.authority = authority
    }

    package func url(_ path: String) throws(ProbeError) -> URL {
        guard let url = URL(string: origin + path) else { throw ProbeError("'\(path)' makes no URL") }
        return url
    }

    package func file(_ name: String) -> String { directory + "/" + name }

    /// Reports something to the harness that only the caller can see.
    package func report(_ name: String, _ value: some CustomStringConvertible) {
        write(.fact(Fact(name, value.description)))
    }

    /// Waits while the harness reads kernel and origin.
    /// - Parameter settles: True if the harness first waits until the origin sends nothing more.
    package func mark(_ name: String, settles: Bool = false) {
        write(.mark(name, settles: settles))
        var byte: UInt8 = 0
        _ = withUnsafeMutableBytes(of: &byte) { SystemCall.readSome($0, from: STDIN_FILENO) }
    }

    /// Writes without any buffer: its content would be lost when the process traps.
    private func write(_ line: ProbeLine) {
        _ = SystemCall.writeAll(line.text.utf8, to: STDOUT_FILENO)
    }
}

/// A semaphore of threads; its methods block, so they must not be called in tasks.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    /// Waits without a limit: a probe that hangs is an observation.
    func take(_ count: Int = 1) { for _ in 0..<count { semaphore.wait() } }

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

    func reset() { isTaken.withLock { $0 = false } }
}

/// A file for bodies, whose content is evidence.
final class SinkFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws(ProbeError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProbeError("a file cannot be made: error \(errno)") }
    }

    deinit { close(descriptor) }

    func append(_ data: Data) {
        lseek(descriptor, 0, SEEK_END)
        _ = SystemCall.writeAll(data, to: descriptor)
    }

    func empty() { ftruncate(descriptor, 0) }

    var byteCount: Int { Int(lseek(descriptor, 0, SEEK_END)) }
}

extension ProbeCatalog {
    static func ask(_ context: ProbeContext, _ session: URLSession, _ path: String) throws {
        fetch(context, session, URLRequest(url: try context.url(path)))
    }

    /// Makes one request by a data task, and reports its status, 0 without one, and its error.
    /// - Parameters:
    ///   - prefix: The beginning of the reports' names.
    ///   - seconds: How long to wait for the end; by default longer than any probe may take.
    /// - Returns: False if it has not ended.
    @discardableResult
    static func fetch(
        _ context: ProbeContext, _ session: URLSession, _ request: URLRequest, as prefix: String = "",
        within seconds: Int = 3600
    ) -> Bool {
        let end = Signal()
        session.dataTask(with: request) { _, response, error in
            context.report(prefix + "status", (response as? HTTPURLResponse)?.statusCode ?? 0)
            context.report(error: error, as: prefix + "error")
            end.give()
        }.resume()
        return end.take(within: seconds)
    }
}

extension ProbeContext {
    func report(error: (any Error)?, as name: String = "error") {
        report(name, error.map { "\(($0 as NSError).code)" } ?? "none")
    }

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
