// SPDX-License-Identifier: Apache-2.0

extension BehaviourCatalog {
    /// A kept connection that is lost when a request has arrived and nothing was answered.
    static let lostConnections = [
        Behaviour(
            "get-kept-connection", path: APIName.data,
            promise: "A GET is sent again, and answered, if a kept connection is lost before its answer.",
            documented: nil
        ) { lost($0, heads: 2, whole: 2, error: "0") },
        Behaviour(
            "post-kept-connection", path: APIName.data,
            promise: "A POST is not sent again if a kept connection is lost before its answer.",
            documented: .rfc(9110, "9.2.2"),
            flaw: Flaw(
                .broken,
                cause:
                    "on a connection that it kept libcurl repeats a POST like a GET; NativeProtocol.swift:296: "
                    + "seekInputStream does not rewind a body and reports no error, so the second POST has a "
                    + "Content-Length and no body, and waits until it times out",
                upstream: [.foundation(1629, .merged, "made it silent")],
                workaround: .row("post-new-session", "a session of its own for each POST"))
        ) { evidence in
            // Whatever the error is: it is the caller's to decide.
            let error = evidence.fact("lost-error") == "0" ? "an error" : evidence.fact("lost-error")
            return lost(evidence, heads: 1, whole: 1, error: error ?? "an error")
        },
        Behaviour(
            "post-new-session", path: APIName.data,
            promise: "By hand: a POST in a session of its own is sent once, whatever happened to kept connections.",
            documented: nil
        ) { lost($0, heads: 1, whole: 1, error: "0") },
    ]

    /// Requires so many beginnings of the request at the server, so many of them whole, and this error.
    private static func lost(_ evidence: Evidence, heads: Int, whole: Int, error: String) -> Observation {
        guard evidence.fact("kept-error") == "0", evidence.fact("other-error") == "0",
            let seen = evidence.fact("heads").flatMap({ Int($0) }), let complete = evidence.fact("whole"),
            let got = evidence.fact("lost-error")
        else { return .missing("answer to the requests before and after") }
        return .decide(
            seen == heads && complete == "\(whole)" && got == error,
            "the server got it \(ObservationText.count(seen, "time")), \(complete) of them whole; "
                + "the caller got \(got == "0" ? "an answer" : "error \(got)")")
    }
}
