// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import MemProbe
import NIOCore
import ProbeProtocol

extension ProbeCatalog {
    static let connections = [
        Probe("connections-per-host") { context in
            try tenTasks(context, "/bytes/16KiB?delay=500") { $0.httpMaximumConnectionsPerHost = 5 }
        },
        Probe("connections-per-host-ahc") { context in
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 5
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let url = try context.url("/bytes/16KiB?delay=500").absoluteString
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await fetch(url, client) } }
                try await group.waitForAll()
            }
        },
        Probe("leaves-nothing-data") { try thousandRequests($0) },
        Probe("leaves-nothing-ahc") { context in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let url = URLForm.path.text(origin: context.origin)
            for _ in 0..<LeakRounds.warmUp { try await fetch(url, client) }
            context.mark("\(URLForm.path.rawValue)-0")
            for round in 1...LeakRounds.count {
                for _ in 0..<LeakRounds.requests { try await fetch(url, client) }
                context.mark("\(URLForm.path.rawValue)-\(round)")
            }
        },
        Probe("caches") { try cacheable($0) },
        Probe("sessions-independent") { try twoSessions($0) },
    ]

    static func fetch(_ url: String, _ client: HTTPClient) async throws {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
        for try await _ in response.body {}
    }

    static func tenTasks(
        _ context: ProbeContext, _ path: String, configure: (URLSessionConfiguration) -> Void
    ) throws {
        let end = Signal()
        let session = URLSession.plain(configure: configure)
        for _ in 0..<10 {
            session.dataTask(with: try context.url(path)) { _, _, error in
                context.report(error: error)
                end.give()
            }.resume()
        }
        end.take(10)
    }

    private static func thousandRequests(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain()
        func fetch(_ url: URL, _ count: Int) {
            for _ in 0..<count {
                session.dataTask(with: url) { _, _, _ in end.give() }.resume()
                end.take()
            }
        }
        for form in URLForm.allCases {
            let text = form.text(origin: context.origin)
            guard let url = URL(string: text) else { throw ProbeError("'\(form.rawValue)' makes no URL") }
            fetch(url, LeakRounds.warmUp)
            context.mark("\(form.rawValue)-0")
            for round in 1...LeakRounds.count {
                fetch(url, LeakRounds.requests)
                context.mark("\(form.rawValue)-\(round)")
            }
        }
    }

    private static func cacheable(_ context: ProbeContext) throws {
        let session = URLSession.plain {
            $0.urlCache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
            $0.requestCachePolicy = .useProtocolCachePolicy
        }
        for _ in 0..<5 { try ask(context, session, "/bytes/64KiB?cache=60") }
    }

    /// Fetches in a second session while the transfer of a first one waits for a slow consumer.
    private static func twoSessions(_ context: ProbeContext) throws {
        let (first, go, end) = (Signal(), Signal(), Signal())
        let isFirst = Once()
        let delegate = SessionDelegate(onData: { _, _ in
            guard isFirst.take() else { return }
            first.give()
            go.take()
        })
        let slow = URLSession.plain(delegate: delegate, queue: WaitingQueue(capacity: 4))
        slow.dataTask(with: try context.url("/bytes/64MiB")).resume()
        first.take()
        context.mark("blocked", settles: true)
        // From here on the consumer takes 3 s, which is the longest that anything waits for it.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 3)
            go.give()
        }
        context.report("begun", MonotonicClock.now())
        // Each step is reported: if the caller itself is blocked for good, the last one tells in which call.
        let other = URLSession.plain()
        context.report("step", "made the other session")
        let task = other.dataTask(with: try context.url("/bytes/1KiB")) { _, _, error in
            context.report(error: error)
            end.give()
        }
        context.report("step", "made its task")
        task.resume()
        context.report("step", "resumed it")
        end.take()
    }

    /// A kept connection that is lost when a request has arrived and nothing was answered.
    static let lostConnections = [
        Probe("get-kept-connection") { try lose($0, "GET") { $0 } },
        Probe("post-kept-connection") { try lose($0, "POST") { $0 } },
        Probe("post-new-session") { try lose($0, "POST") { _ in brief() } },
    ]

    private static func brief() -> URLSession {
        URLSession.plain { $0.timeoutIntervalForRequest = 2 }
    }

    /// Makes a connection that is kept, sends a request in a session that may use it, and shows that others go on.
    private static func lose(
        _ context: ProbeContext, _ method: String, _ session: (URLSession) -> URLSession
    ) throws {
        let server = try LoopbackServer.KeptConnection()
        server.start()
        let first = brief()
        func send(_ url: URL?, _ session: URLSession, _ method: String, as prefix: String) throws {
            guard let url else { throw ProbeError("this server has no URL") }
            var request = URLRequest(url: url)
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("order".utf8) }
            fetch(context, session, request, as: prefix)
        }
        let base = "http://127.0.0.1:\(server.port)"
        try send(URL(string: base + "/kept"), first, "GET", as: "kept-")
        try send(URL(string: base + "/lost"), session(first), method, as: "lost-")
        context.report("heads", server.count("/lost").heads)
        context.report("whole", server.count("/lost").whole)
        try send(context.url("/bytes/1KiB"), first, "GET", as: "other-")
    }
}
