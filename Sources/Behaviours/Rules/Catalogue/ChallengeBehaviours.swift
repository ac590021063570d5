// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    static let challenges = [
        Behaviour(
            "basic-challenge", path: APIName.data,
            promise: "A delegate answers a Basic challenge of a task that has a completion handler.",
            documented: .challenge, observe: challengeAnswered),
        Behaviour(
            "digest-challenge", path: APIName.data,
            promise: "A delegate answers a Digest challenge of a task that has a completion handler.",
            documented: .apple("NSURLAuthenticationMethodHTTPDigest", "foundation/nsurlauthenticationmethodhttpdigest"),
            flaw: Flaw(
                .absent, cause: "HTTPMessage.swift:216 parses no scheme but Basic, so that no delegate is asked",
                workaround: .untried("an Authorization field of your own")),
            observe: challengeAnswered),
        Behaviour(
            "redirect-307-body", path: APIName.data,
            promise: "A POST that is redirected by a 307 sends its body again.",
            documented: .rfc(9110, "15.4.8"), flaw: bodyDropped
        ) { bodySentAgain($0, 307) },
        Behaviour(
            "redirect-308-body", path: APIName.data,
            promise: "A POST that is redirected by a 308 sends its body again.",
            documented: .rfc(9110, "15.4.9"), flaw: bodyDropped
        ) { bodySentAgain($0, 308) },
        Behaviour(
            "redirect-cookie-delegate", path: APIName.data,
            promise: "A cookie that a 302 sets is sent to its target if the session has a delegate.",
            documented: .rfc(6265, "3"),
            flaw: Flaw(
                .broken,
                cause: "HTTPURLProtocol.swift:499 adds cookies to the new request only if no delegate was asked",
                upstream: [.foundation(5294, .open)], workaround: .untried("a session without a redirect delegate"))
        ) { evidence in
            guard evidence.requests.contains(where: { $0.status == 302 }),
                let next = evidence.requests(to: "/bytes/1KiB").first
            else { return .missing("redirect that was followed") }
            let isSent = next.headers["cookie"] != nil
            return .decide(isSent, "the 302 set a cookie; the next request had \(isSent ? "it" : "none")")
        },
        Behaviour(
            "redirect-refused", path: APIName.data,
            promise: "A delegate that gives nil for a redirect ends the task with the 302.", documented: .redirection
        ) { evidence in
            guard evidence.requests.contains(where: { $0.status == 302 }) else { return .missing("redirect") }
            let asked = evidence.count("asked", "redirect")
            let followed = evidence.requests(to: "/bytes/1KiB").count
            let status = evidence.fact("status") ?? "none"
            return .decide(
                asked == 1 && followed == 0 && status == "302",
                "the delegate was asked \(ObservationText.count(asked, "time")), status \(status), then "
                    + ObservationText.count(followed, "request"))
        },
        Behaviour(
            "redirects-at-once", path: APIName.data, promise: "50 redirected requests at once are all answered.",
            documented: nil
        ) { evidence in
            guard evidence.requests.contains(where: { $0.status == 302 }) else { return .missing("redirect") }
            let answered = evidence.requests(to: "/bytes/1KiB").count { $0.ending == .complete }
            let told = evidence.count("error", "none")
            return .decide(
                answered == 50 && told == 50, else: .hazard, "\(answered) of 50 answered; \(told) callers told")
        },
    ]

    private static let bodyDropped = Flaw(
        .broken, cause: "HTTPURLProtocol.swift:500 and :712 set the body to none before the new request",
        upstream: [.foundation(2948, .merged, "introduced it")],
        workaround: .untried("a delegate that refuses the redirect, and a new task with the body"))

    private static func challengeAnswered(_ evidence: Evidence) -> Observation {
        guard evidence.requests.contains(where: { $0.status == 401 }) else { return .missing("challenge") }
        let isAnswered = evidence.requests.contains { $0.status == 200 }
        let asked = evidence.count("asked", "challenge")
        return .decide(
            isAnswered && evidence.fact("status") == "200", else: asked == 0 ? .absent : .broken,
            "the delegate was asked \(ObservationText.count(asked, "time")); the caller was given status "
                + (evidence.fact("status") ?? "none"))
    }

    private static func bodySentAgain(_ evidence: Evidence, _ status: Int) -> Observation {
        guard evidence.requests.contains(where: { $0.status == status }),
            let next = evidence.requests(to: "/sink").first
        else { return .missing("redirect that was followed") }
        let bytes = next.bytesReceived.rawValue
        return .decide(
            next.method == "POST" && bytes == 10_000, "\(next.method) with \(bytes) of 10,000 bytes at the target")
    }
}

extension Documentation {
    fileprivate static let challenge = apple(
        "didReceive challenge",
        "foundation/urlsessiontaskdelegate/urlsession(_:task:didreceive:completionhandler:)")
}

extension BehaviourCatalog {
    /// Connections over TLS to an origin whose authority is not the system's.
    static let tls = [
        Behaviour(
            "server-trust", path: APIName.dataDelegate,
            promise: "A delegate is asked about a certificate that the system does not trust, and can accept it.",
            documented: .apple(
                "Performing manual server trust authentication",
                "foundation/performing-manual-server-trust-authentication"),
            overTLS: true,
            flaw: Flaw(
                .absent,
                cause: "EasyHandle.swift leaves the certificate to libcurl, and no challenge is made of its error; "
                    + "URLProtectionSpace.swift has no serverTrust",
                upstream: [.foundation(4937, .open, "certificates of clients")],
                workaround: .untried("the environment variable URLSessionCertificateAuthorityInfoFile"))
        ) { evidence in
            let asked = evidence.count("asked", "server-trust")
            let count = evidence.requests(to: "/bytes/2KiB").count
            return .decide(
                asked > 0 && count == 1, else: asked == 0 ? .absent : .broken,
                "the delegate was asked \(ObservationText.count(asked, "time")), the origin got "
                    + "\(ObservationText.count(count, "request")) over TLS, error \(evidence.fact("tls-error") ?? "none")"
            )
        },
        Behaviour(
            "untrusted-code", path: APIName.data,
            promise: "The error of a certificate that is not trusted is serverCertificateUntrusted, -1202.",
            documented: .apple(
                "URLError.serverCertificateUntrusted", "foundation/urlerror/servercertificateuntrusted"),
            attempt: .probe("server-trust"), overTLS: true,
            flaw: Flaw(
                .broken, cause: "MultiHandle.swift:383: an error of libcurl that has no case becomes unknown, -1",
                workaround: .untried("the text of the error, which is libcurl's"))
        ) { evidence in
            guard let error = evidence.fact("tls-error"), error != "none",
                evidence.requests(to: "/bytes/2KiB").isEmpty
            else { return .missing("connection that was refused") }
            return .decide(error == "-1202", "the certificate was refused, the error is \(error)")
        },
        Behaviour(
            "exit-after-https", path: APIName.data,
            promise: "A program that has fetched over https ends cleanly, exit handlers included.", documented: nil,
            attempts: 5,
            overTLS: true
        ) { evidence in
            guard evidence.requests(to: "/bytes/2KiB").count == 1, evidence.fact("tls-error") == "none" else {
                return .missing("body over TLS")
            }
            return .decide(true, "1 body over TLS, then the exit handlers, and status 0")
        },
    ]
}
