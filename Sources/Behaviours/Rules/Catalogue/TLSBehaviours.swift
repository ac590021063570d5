// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

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
