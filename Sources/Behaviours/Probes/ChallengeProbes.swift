// SPDX-License-Identifier: Apache-2.0

import CCurlTrust
import Foundation
import FoundationNetworking

extension ProbeCatalog {
    static let challenges = [
        Probe("basic-challenge") { try answer($0, "/auth/basic") },
        Probe("digest-challenge") { try answer($0, "/auth/digest") },
        Probe("redirect-307-body") { try redirectBody($0, 307) },
        Probe("redirect-308-body") { try redirectBody($0, 308) },
        Probe("redirect-cookie-delegate") { context in
            let delegate = NegotiationDelegate(context)
            let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            fetch(context, session, URLRequest(url: try context.url("/redirect/302?to=/bytes/1KiB&cookie=moved")))
        },
        Probe("redirect-refused") { context in
            let session = URLSession.plain(delegate: NegotiationDelegate(context, follows: false))
            fetch(context, session, URLRequest(url: try context.url("/redirect/302?to=/bytes/1KiB")))
        },
        Probe("redirects-at-once") { context in
            let session = URLSession.plain()
            let url = try context.url("/redirect/302?to=/bytes/1KiB")
            let end = Signal()
            for _ in 0..<50 {
                session.dataTask(with: url) { _, _, error in
                    context.report(error: error)
                    end.give()
                }.resume()
            }
            end.take(50)
        },
    ]

    private static func answer(_ context: ProbeContext, _ path: String) throws {
        let session = URLSession.plain(delegate: NegotiationDelegate(context))
        fetch(context, session, URLRequest(url: try context.url(path)))
    }

    private static func redirectBody(_ context: ProbeContext, _ status: Int) throws {
        var request = URLRequest(url: try context.url("/redirect/\(status)?to=/sink"))
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 65, count: 10_000)
        fetch(context, .plain(), request)
    }

}

/// A delegate that answers challenges with `user` and `password`, and follows or refuses redirects.
private final class NegotiationDelegate: NSObject, URLSessionTaskDelegate {
    private let context: ProbeContext
    private let follows: Bool

    init(_ context: ProbeContext, follows: Bool = true) {
        (self.context, self.follows) = (context, follows)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        context.report("asked", "challenge")
        guard challenge.previousFailureCount == 0 else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        completionHandler(.useCredential, URLCredential(user: "user", password: "password", persistence: .none))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        context.report("asked", "redirect")
        completionHandler(follows ? request : nil)
    }
}

extension ProbeCatalog {
    static let tls = [
        Probe("server-trust") { context in
            try ask(context, .plain(), "/bytes/1KiB")
            try fetchOverTLS(context, .plain(delegate: TrustingDelegate(context)))
        },
        Probe("exit-after-https", runsExitHandlers: true) { context in
            guard let authority = context.authority, ccurltrust_authority(authority) else {
                throw ProbeError("the authority's certificate cannot be used")
            }
            try ask(context, .plain(), "/bytes/1KiB")
            try fetchOverTLS(context, .plain())
        },
    ]

    private static func fetchOverTLS(_ context: ProbeContext, _ session: URLSession) throws {
        guard let origin = context.secureOrigin, let url = URL(string: origin + "/bytes/2KiB") else {
            throw ProbeError("the origin has no address over TLS")
        }
        fetch(context, session, URLRequest(url: url), as: "tls-")
    }
}

private final class TrustingDelegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
    private let context: ProbeContext

    init(_ context: ProbeContext) { self.context = context }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { answer(challenge, completionHandler) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { answer(challenge, completionHandler) }

    private func answer(
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isTrust = challenge.protectionSpace.authenticationMethod == "NSURLAuthenticationMethodServerTrust"
        context.report("asked", isTrust ? "server-trust" : "other")
        completionHandler(.useCredential, nil)
    }
}
