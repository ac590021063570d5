// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

extension ProbeCatalog {
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
        let server = try KeptConnectionServer()
        server.start()
        let first = brief()
        let end = Signal()
        func fetch(_ url: URL?, _ session: URLSession, _ method: String, as name: String) throws {
            guard let url else { throw ProbeError("this server has no URL") }
            var request = URLRequest(url: url)
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("order".utf8) }
            session.dataTask(with: request) { _, _, error in
                context.report(name, (error as NSError?)?.code ?? 0)
                end.give()
            }.resume()
            end.take()
        }
        let base = "http://127.0.0.1:\(server.port)"
        try fetch(URL(string: base + "/kept"), first, "GET", as: "kept-error")
        try fetch(URL(string: base + "/lost"), session(first), method, as: "lost-error")
        context.report("heads", server.count("/lost").heads)
        context.report("whole", server.count("/lost").whole)
        try fetch(context.url("/bytes/1KiB"), first, "GET", as: "other-error")
    }
}
