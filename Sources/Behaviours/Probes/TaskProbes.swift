// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

extension ProbeCatalog {
    static let urlTasks = [
        Probe("cancel-download") { try cancelDownload($0) },
        Probe("cancel-data-with-cache") { context in
            try cancelAtOnce(context, URLSession(configuration: .default))
        },
        Probe("cancel-data-shared") { try cancelAtOnce($0, .shared) },
        Probe("cancel-data-at-once") { try cancelAtOnce($0, .plain()) },
        Probe("suspended-timeout") { try suspendForLong($0) },
        Probe("lost-connection") { try loseConnection($0) },
        Probe("task-delegate") { try taskDelegate($0) },
        Probe("task-delegate-async") { context in
            let request = URLRequest(url: try context.url("/faults/redirect/1"))
            _ = try await URLSession.plain().data(for: request, delegate: RedirectDelegate(context))
        },
        Probe("task-delegate-redirect") { context in
            let end = Signal()
            let url = try context.url("/faults/redirect/1")
            let task = URLSession.plain().dataTask(with: url) { _, _, error in
                context.report(error: error)
                end.give()
            }
            task.delegate = RedirectDelegate(context)
            task.resume()
            end.take()
        },
        Probe("metrics") { try metrics($0) },
        Probe("earliest-begin-date") { try beginLater($0) },
        Probe("priority") { try priorities($0) },
    ]

    private static func cancelDownload(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        for _ in 0..<3 {
            let task = session.downloadTask(with: try context.url("/bytes/8MiB?rate=2MiB")) { location, _, error in
                context.report(error: error)
                context.report("file", location == nil ? "none" : "given")
                end.give()
            }
            task.resume()
            Thread.sleep(forTimeInterval: 0.5)
            task.cancel()
            end.take()
        }
        Thread.sleep(forTimeInterval: 0.5)
        context.mark("after")
    }

    /// Cancels 1,000 tasks right after they were resumed, or up to 0.2 ms later.
    private static func cancelAtOnce(_ context: ProbeContext, _ session: URLSession) throws {
        try ask(context, .plain(), "/bytes/1KiB")
        let end = Signal()
        let told = Mutex((cancelled: 0, complete: 0))
        let url = try context.url("/bytes/16KiB")
        for batch in 0..<10 {
            for index in 0..<100 {
                let task = session.dataTask(with: url) { _, _, error in
                    let code = (error as NSError?)?.code
                    if code == NSURLErrorCancelled { told.withLock { $0.cancelled += 1 } }
                    if code == nil { told.withLock { $0.complete += 1 } }
                    end.give()
                }
                task.resume()
                // How long a task takes to begin depends on the machine's load.
                if batch % 2 == 1 { Thread.sleep(forTimeInterval: Double(index % 20 * batch) / 1e6) }
                task.cancel()
            }
            end.take(100)
        }
        context.report("cancelled", told.withLock { $0.cancelled })
        context.report("complete", told.withLock { $0.complete })
    }

    /// Suspends a task for longer than its request time-out, before the answer begins.
    private static func suspendForLong(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain { $0.timeoutIntervalForRequest = 2 }
        let task = session.dataTask(with: try context.url("/bytes/1KiB?delay=1000")) { _, _, error in
            context.report(error: error)
            end.give()
        }
        task.resume()
        Thread.sleep(forTimeInterval: 0.5)
        task.suspend()
        let isOver = end.take(within: 3)
        context.report("while-suspended", isOver ? "ended" : "waited")
        if isOver { return }
        task.resume()
        end.take()
    }

    private static func loseConnection(_ context: ProbeContext) throws {
        let server = try LoopbackServer(answer: "")
        guard let url = URL(string: server.url) else { throw ProbeError("'\(server.url)' makes no URL") }
        let session = URLSession.plain()
        let end = Signal()
        Thread.detachNewThread { server.answer(20) }
        for _ in 0..<20 {
            session.dataTask(with: url) { _, _, error in
                context.report("lost", (error as NSError?)?.code ?? 0)
                end.give()
            }.resume()
            end.take()
        }
        try ask(context, session, "/bytes/1KiB")
    }

    private static func taskDelegate(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        let task = session.dataTask(with: try context.url("/bytes/1KiB"))
        task.delegate = SessionDelegate(onEnd: { _ in end.give() })
        task.resume()
        // The request itself is answered in a moment.
        context.report("called", end.take(within: 3) ? "true" : "false")
    }

    private static func metrics(_ context: ProbeContext) throws {
        let (end, told) = (Signal(), Signal())
        let delegate = MetricsDelegate(end: end, metrics: told)
        URLSession.plain(delegate: delegate).dataTask(with: try context.url("/bytes/1KiB")).resume()
        end.take()
        context.report("metrics", told.take(within: 2) ? "told" : "none")
    }

    private static func beginLater(_ context: ProbeContext) throws {
        let end = Signal()
        let task = URLSession.plain().dataTask(with: try context.url("/bytes/1KiB")) { _, _, error in
            context.report(error: error)
            end.give()
        }
        context.mark("resumed")
        (task as any HasEarliestBeginDate).earliestBeginDate = Date(timeIntervalSinceNow: 3)
        task.resume()
        end.take()
    }

    private static func priorities(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        for priority in [URLSessionTask.lowPriority, URLSessionTask.highPriority] {
            let task = session.dataTask(with: try context.url("/bytes/1KiB")) { _, _, error in
                context.report(error: error)
                end.give()
            }
            task.priority = priority
            context.report("priority", task.priority == priority ? "kept" : "changed")
            task.resume()
        }
        end.take(2)
    }
}

/// A task's date, which is marked as deprecated where it has no effect.
private protocol HasEarliestBeginDate: AnyObject {
    var earliestBeginDate: Date? { get set }
}

extension URLSessionTask: HasEarliestBeginDate {}

private final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let context: ProbeContext

    init(_ context: ProbeContext) { self.context = context }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        context.report("asked", "redirect")
        completionHandler(request)
    }
}

private final class MetricsDelegate: NSObject, URLSessionDataDelegate {
    private let end: Signal
    private let metrics: Signal

    init(end: Signal, metrics: Signal) { (self.end, self.metrics) = (end, metrics) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.give()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        self.metrics.give()
    }
}
