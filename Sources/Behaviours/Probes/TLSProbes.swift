// SPDX-License-Identifier: Apache-2.0

import CCurlTrust
import Foundation
import FoundationNetworking

extension ProbeCatalog {
    /// Connections over TLS.
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
        let end = Signal()
        session.dataTask(with: url) { _, _, error in
            context.report("tls-error", error.map { "\(($0 as NSError).code)" } ?? "none")
            end.give()
        }.resume()
        end.take()
    }
}

/// A delegate that accepts any certificate.
private final class TrustingDelegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
    private let context: ProbeContext

    init(_ context: ProbeContext) {
        self.context = context
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answer(challenge, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answer(challenge, completionHandler)
    }

    private func answer(
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isTrust = challenge.protectionSpace.authenticationMethod == "NSURLAuthenticationMethodServerTrust"
        context.report("asked", isTrust ? "server-trust" : "other")
        completionHandler(.useCredential, nil)
    }
}
