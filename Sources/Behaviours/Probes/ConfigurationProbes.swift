// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Glibc

extension ProbeCatalog {
    static let configurations = [
        Probe("request-timeout-zero") { context in
            try ask(context, .plain(), "/bytes/1KiB")
            try ask(context, .plain { $0.timeoutIntervalForRequest = 0 }, "/bytes/2KiB?delay=1000")
        },
        Probe("resource-timeout-zero") { context in
            try ask(context, .plain { $0.timeoutIntervalForResource = 0 }, "/bytes/2KiB?delay=1000")
        },
        Probe("additional-headers") { try additionalHeaders($0) },
        Probe("configuration-copied") { context in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Header": "before"]
            let session = URLSession(configuration: configuration)
            configuration.httpAdditionalHeaders = ["X-Header": "after"]
            try ask(context, session, "/bytes/1KiB")
        },
        Probe("configuration-shown") { context in
            let session = URLSession.plain { $0.httpAdditionalHeaders = ["X-Header": "before"] }
            session.configuration.httpAdditionalHeaders = ["X-Header": "after"]
            try ask(context, session, "/bytes/1KiB")
        },
        Probe("proxy-dictionary") { try proxy($0) },
        Probe("cookies-ephemeral") { try ephemeralCookies($0) },
        Probe("cookies-kept-expires") { context in
            try keepCookie(context, "Expires=Fri, 01 Jan 2100 00:00:00 GMT")
        },
        Probe("cookies-kept-max-age") { try keepCookie($0, "Max-Age=3600") },
        Probe("caches-ephemeral") { context in
            let session = URLSession(configuration: .ephemeral)
            for _ in 0..<5 { try ask(context, session, "/bytes/64KiB?cache=60") }
        },
    ]

    static let proxies = ([.urlSession] + AskingClient.parsers.filter(\.followsRedirects)).map { client in
        Probe("proxy-variable" + client.suffix) { context in
            try await askOnce(client, context, "/bytes/1KiB")
            var beyond = context
            beyond.origin = "http://proxied.invalid"
            do { try await askOnce(client, beyond, "/bytes/2KiB") } catch { context.report("error", "\(error)") }
        }
    }

    private static func askOnce(_ client: AskingClient, _ context: ProbeContext, _ path: String) async throws {
        let call = try client.begin(context)
        let result = await Task { try await call.ask(path, 0) }.result
        try await call.end()
        try result.get()
    }

    private static func additionalHeaders(_ context: ProbeContext) throws {
        let end = Signal()
        let session = URLSession.plain { $0.httpAdditionalHeaders = ["X-Everywhere": "yes"] }
        session.dataTask(with: try context.url("/faults/redirect/1")) { _, _, _ in end.give() }.resume()
        end.take()
        session.downloadTask(with: try context.url("/bytes/2KiB")) { _, _, _ in end.give() }.resume()
        end.take()
        var request = URLRequest(url: try context.url("/sink"))
        request.httpMethod = "POST"
        session.uploadTask(with: request, from: Data(count: 1024)) { _, _, _ in end.give() }.resume()
        end.take()
    }

    /// Asks the origin itself, and then a port where nobody listens, with the origin as the proxy.
    private static func proxy(_ context: ProbeContext) throws {
        guard let port = try context.url("/").port else { throw ProbeError("the origin has no port") }
        try ask(context, .plain(), "/bytes/1KiB")
        let proxied = URLSession.plain {
            $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port]
        }
        guard let url = URL(string: "http://127.0.0.1:1/bytes/2KiB") else { throw ProbeError("no URL") }
        fetch(context, proxied, URLRequest(url: url))
    }

    private static func cookieAnswer(_ attributes: String) -> String {
        "HTTP/1.1 200 OK\r\nSet-Cookie: kept=1; Path=/; \(attributes)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    }

    /// Lets a server set a cookie; cookies do not depend on ports.
    private static func receiveCookie(_ session: URLSession, _ attributes: String) throws {
        let server = try LoopbackServer(answer: cookieAnswer(attributes))
        guard let url = URL(string: server.url) else { throw ProbeError("'\(server.url)' makes no URL") }
        Thread.detachNewThread { server.answer(1) }
        let end = Signal()
        session.dataTask(with: url) { _, _, _ in end.give() }.resume()
        end.take()
    }

    private static func ephemeralCookies(_ context: ProbeContext) throws {
        let session = URLSession(configuration: .ephemeral)
        try receiveCookie(session, "HttpOnly")
        try ask(context, session, "/bytes/1KiB")
        try ask(context, URLSession(configuration: .ephemeral), "/bytes/2KiB")
    }

    /// Receives a cookie, and asks the origin once more in the next process, with a folder of its own for cookies.
    private static func keepCookie(_ context: ProbeContext, _ attributes: String) throws {
        guard access(context.file("has-folder"), F_OK) == 0 else { return try succeed(context, "has-folder") }
        let session = URLSession(configuration: .default)
        if access(context.file("has-cookie"), F_OK) == 0 { return try ask(context, session, "/bytes/2KiB") }
        try receiveCookie(session, attributes)
        try ask(context, session, "/bytes/1KiB")
        try succeed(context, "has-cookie")
    }

    /// Replaces the process by one like it, whose cookies are in the probe's folder.
    private static func succeed(_ context: ProbeContext, _ stage: String) throws {
        try context.leave(stage)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let words = ["env", "XDG_DATA_HOME=\(context.directory)", program] + CommandLine.arguments.dropFirst()
        execv("/usr/bin/env", words.map { strdup($0) } + [nil])
        throw ProbeError("the process cannot be replaced: error \(errno)")
    }
}
