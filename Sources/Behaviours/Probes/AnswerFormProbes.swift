// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

extension ProbeCatalog {
    private static let forms = [
        "trailer", "no-reason", "bare-lf", "no-length", "no-length-reset", "cut-head", "cut-gzip",
    ]

    /// Answers and URLs as they occur in the wild.
    static let answerForms =
        forms.flatMap { form in
            [
                Probe(form) { try whole($0, "/faults/\(form)") },
                Probe(form + "-ahc") { try await wholeWithClient($0, "/faults/\(form)") },
            ]
        } + [
            Probe("scheme-upper-case") { try ask($0, "HTTP" + $0.origin.dropFirst(4)) },
            Probe("short-address") { try ask($0, $0.origin.replacingOccurrences(of: "127.0.0.1", with: "127.1")) },
            Probe("ipv6-literal") { try askOverIPv6($0) },
            Probe("redirect-authorization") { try redirectWithAuthorization($0) },
            Probe("credential-storage") { try useStoredCredential($0) },
            Probe("discretionary") { context in
                let end = Signal()
                let session = URLSession.plain { $0.isDiscretionary = true }
                let task = session.dataTask(with: try context.url("/bytes/1KiB")) { _, _, error in
                    context.report(error: error)
                    end.give()
                }
                context.mark("resumed")
                task.resume()
                end.take()
            },
        ]

    /// Decodes gzip as URLSession does.
    private static func wholeWithClient(_ context: ProbeContext, _ path: String) async throws {
        try await whole(context, path, max: 5, decompresses: true)
    }

    /// Asks the origin by its usual URL, and then by another form of it.
    private static func ask(_ context: ProbeContext, _ base: String) throws {
        try ask(context, .plain(), "/bytes/1KiB")
        guard let url = URL(string: base + "/bytes/2KiB") else { throw ProbeError("'\(base)' makes no URL") }
        fetch(context, .plain(), URLRequest(url: url))
    }

    private static func askOverIPv6(_ context: ProbeContext) throws {
        try ask(context, .plain(), "/bytes/1KiB")
        let server = try LoopbackServer(
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", isIPv6: true)
        Thread.detachNewThread { server.answer(1) }
        guard let url = URL(string: server.url) else { throw ProbeError("'\(server.url)' makes no URL") }
        fetch(context, .plain { $0.timeoutIntervalForRequest = 5 }, URLRequest(url: url), as: "ipv6-")
        let field = server.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host:") }
        context.report("host", field.map { $0.dropFirst(5).trimmingCharacters(in: .whitespaces) } ?? "")
    }

    /// The two names of this machine are two hosts to a client.
    private static func redirectWithAuthorization(_ context: ProbeContext) throws {
        let other = context.origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        var request = URLRequest(url: try context.url("/redirect/302?to=\(other)/bytes/1KiB"))
        request.setValue("Bearer 0123456789", forHTTPHeaderField: "Authorization")
        fetch(context, .plain(), request)
    }

    private static func useStoredCredential(_ context: ProbeContext) throws {
        let url = try context.url("/auth/basic")
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: url.port ?? 80, protocol: "http", realm: "fetchbench",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let credential = URLCredential(user: "user", password: "password", persistence: .forSession)
        let session = URLSession.plain {
            $0.timeoutIntervalForRequest = 2
            $0.urlCredentialStorage = .shared
        }
        URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
        // A challenge that nothing answers hangs.
        fetch(context, session, URLRequest(url: url), within: 5)
    }
}
