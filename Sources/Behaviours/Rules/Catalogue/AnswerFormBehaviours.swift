// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// Answers and URLs as they occur in the wild: unusual but allowed, or cut.
    static let answerForms =
        forms(APIName.data, flaws: sessionFlaws) + forms(APIName.client, "-ahc", flaws: clientFlaws) + urlForms

    private static let sessionFlaws = [
        "trailer": Flaw(
            .traps,
            cause:
                "TransferState.swift:111: a line after the head, such as a trailer field, begins a new head without a "
                + "response, and at the end NativeProtocol.swift:240 traps without one",
            upstream: [.foundation(5285, .open, "the same trap, after a lost connection")],
            workaround: .row("trailer-ahc", "async-http-client")),
        "bare-lf": Flaw(
            .hazard, cause: "Message.swift:60 refuses a line of the head that does not end with CRLF",
            workaround: .untried("libcurl itself, which accepts them")),
        "cut-gzip": Flaw(
            .hazard,
            cause:
                "libcurl's decoder takes the end of the connection for the end of the body, and passes on what it has",
            workaround: .row("cut-gzip-ahc", "async-http-client with decompression")),
    ]

    private static let clientFlaws = [
        "bare-lf": Flaw(
            .hazard, cause: "SwiftNIO's HTTP parser refuses a line that does not end with CRLF",
            workaround: .untried("libcurl itself, which accepts them"))
    ]

    private static func forms(_ path: String, _ suffix: String = "", flaws: [String: Flaw]) -> [Behaviour] {
        [
            Behaviour(
                "trailer" + suffix, path: path, promise: "The body of a chunked answer with a trailer is read.",
                documented: .rfc(9112, "7.1.2"), flaw: flaws["trailer"], observe: wholeRead),
            Behaviour(
                "no-reason" + suffix, path: path,
                promise: "An answer whose status line has an empty reason phrase is read.", documented: .rfc(9112, "4"),
                flaw: flaws["no-reason"], observe: wholeRead),
            Behaviour(
                "bare-lf" + suffix, path: path, promise: "An answer whose lines end with a line feed alone is read.",
                documented: .rfc(
                    9112, "2.2", says: "a recipient may recognize a single line feed as the end of a line"),
                flaw: flaws["bare-lf"], observe: wholeRead),
            Behaviour(
                "no-length" + suffix, path: path, promise: "A body without a length ends with its connection.",
                documented: .rfc(9112, "6.3"), flaw: flaws["no-length"], observe: wholeRead),
            Behaviour(
                "no-length-reset" + suffix, path: path,
                promise: "A body without a length whose connection is reset is refused.",
                documented: .incompleteMessage,
                flaw: flaws["no-length-reset"], observe: endRefused),
            Behaviour(
                "cut-head" + suffix, path: path, promise: "An answer that ends within its head is refused.",
                documented: .incompleteMessage, flaw: flaws["cut-head"], observe: endRefused),
            Behaviour(
                "cut-gzip" + suffix, path: path,
                promise: "A body in gzip that ends early, without a length, is refused.", documented: nil,
                flaw: flaws["cut-gzip"], observe: endRefused),
        ]
    }

    private static let urlForms = [
        Behaviour(
            "scheme-upper-case", path: APIName.data, promise: "A URL whose scheme is HTTP in capitals is requested.",
            documented: .rfc(3986, "3.1"),
            flaw: Flaw(
                .broken, cause: "HTTPURLProtocol.swift:38 compares the scheme with http and https as it is written",
                workaround: .untried("lower-case the scheme of URLs from outside")), observe: requested),
        Behaviour(
            "short-address", path: APIName.data, promise: "A URL with the host 127.1 is requested.",
            documented: .rfc(3986, "7.4", says: "platforms read such rare forms of an address in their own ways"),
            flaw: Flaw(
                .hazard, cause: "EasyHandle.swift:186: libcurl's host is 127.0.0.1 by then, and not that of the URL",
                upstream: [.foundation(4836, .merged, "introduced it")], workaround: .untried("the whole address")),
            observe: requested),
        Behaviour(
            "ipv6-literal", path: APIName.data, promise: "A URL with an IPv6 address in brackets is requested.",
            documented: .rfc(3986, "3.2.2"),
            flaw: Flaw(
                .broken, cause: "EasyHandle.swift:186: libcurl's host has brackets, and that of the URL has none",
                upstream: [.foundation(4836, .merged, "introduced it"), .foundation(5496, .merged, "on main")],
                fixedIn: "main", workaround: .untried("a name that resolves to the address"))
        ) { evidence in
            guard let host = evidence.fact("host") else { return .missing("server on ::1") }
            let error = evidence.fact("ipv6-error") ?? "none"
            return .decide(
                host.hasPrefix("[::1]:") && error == "none",
                "the server on ::1 got \(host.isEmpty ? "no request" : "a request for \(host)"); error \(error)")
        },
        Behaviour(
            "redirect-authorization", path: APIName.data,
            promise: "A redirect to another host does not send the Authorization field of the first request on.",
            documented: .rfc(9110, "15.4", says: "a client ought to consider removing it"),
            flaw: Flaw(
                .hazard, cause: "HTTPURLProtocol.swift:564: the new request is a copy of the first one, fields and all",
                upstream: [
                    UpstreamIssue("swiftlang/swift-package-manager", 10443, .merged, "SwiftPM removes it by a delegate")
                ], workaround: .row("redirect-refused", "a delegate that removes it or refuses the redirect"))
        ) { evidence in
            guard evidence.requests.contains(where: { $0.status == 302 && $0.headers["authorization"] != nil }),
                let next = evidence.requests(to: "/bytes/1KiB").first
            else { return .missing("redirect of a request with Authorization") }
            let isSent = next.headers["authorization"] != nil
            return .decide(!isSent, "the request at the other host had \(isSent ? "the field" : "no Authorization")")
        },
        Behaviour(
            "credential-storage", path: APIName.data,
            promise: "A credential in the session's urlCredentialStorage answers a Basic challenge.",
            documented: .apple(
                "urlCredentialStorage", "foundation/urlsessionconfiguration/urlcredentialstorage"),
            flaw: Flaw(
                .hangs,
                cause:
                    "URLProtectionSpace has no isEqual and no hash of its own, so that nothing is found under an equal "
                    + "one; without a credential the task hangs as in row unauthorized",
                workaround: .row("basic-challenge", "a delegate that answers the challenge"))
        ) { evidence in
            guard evidence.requests.contains(where: { $0.path == "/auth/basic" }) else { return .missing("challenge") }
            let isAnswered = evidence.requests(to: "/auth/basic").contains { $0.status == 200 }
            return .decide(
                isAnswered && evidence.fact("status") == "200",
                else: evidence.fact("status") == nil ? .hangs : .broken,
                "\(ObservationText.count(evidence.requests(to: "/auth/basic").count, "request")), the caller was given "
                    + "status \(evidence.fact("status") ?? "none")")
        },
        Behaviour(
            "discretionary", path: APIName.session,
            promise: "A task of a discretionary configuration asks the origin at once, as any other.",
            documented: .apple(
                "isDiscretionary", "foundation/urlsessionconfiguration/isdiscretionary",
                says: "the system may wait for better conditions")
        ) { evidence in
            guard let start = evidence.mark("resumed")?.time, let request = evidence.requests.last else {
                return .missing("request after the task was resumed")
            }
            let seconds = Double(request.beganNanoseconds - start) / 1e9
            return .decide(seconds < 1, "the request began \(ObservationText.seconds(seconds)) after resume()")
        },
        Behaviour(
            "progress-download-gzip", path: APIName.download,
            promise: "totalBytesWritten of a body that comes compressed is in the end the size of the file.",
            documented: .apple(
                "didWriteData",
                "foundation/urlsessiondownloaddelegate/"
                    + "urlsession(_:downloadtask:didwritedata:totalbyteswritten:totalbytesexpectedtowrite:)"),
            attempt: .probe("expected-size-gzip")
        ) { evidence in
            guard let told = evidence.fact("delivered"), evidence.bytesSent < 256 << 10, evidence.bytesSent > 0 else {
                return .missing("body in gzip")
            }
            return .decide(told == "\(256 << 10)", "\(evidence.bytesSent) bytes sent, \(told) of 262144 written")
        },
    ]

    private static func wholeRead(_ evidence: Evidence) -> Observation {
        guard evidence.requests.count == 1 else { return .missing("single request at the origin") }
        let bytes = evidence.file("accepted")?.bytes
        return .decide(
            bytes == 3,
            "1 request; the caller got \(bytes.map { "\($0) of 3 bytes" } ?? "no body"), error "
                + (evidence.fact("error") ?? "none"))
    }

    private static func endRefused(_ evidence: Evidence) -> Observation {
        guard !evidence.requests.isEmpty else { return .missing("request at the origin") }
        let bytes = evidence.file("accepted")?.bytes
        let error = evidence.fact("error") ?? "none"
        return .decide(
            bytes == nil && error != "none",
            "the answer was cut; the caller got \(bytes.map { "\($0) bytes as if whole" } ?? "no body"), error \(error)"
        )
    }

    private static func requested(_ evidence: Evidence) -> Observation {
        let count = evidence.requests(to: "/bytes/2KiB").count
        let error = evidence.fact("error") ?? "none"
        return .decide(
            count == 1 && error == "none", "the origin got \(ObservationText.count(count, "request")); error \(error)")
    }
}
