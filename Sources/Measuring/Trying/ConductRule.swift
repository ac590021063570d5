// SPDX-License-Identifier: Apache-2.0

import Runs

/// A rule about HTTP that every mode follows, and an answer of a server that shows whether it does.
struct ConductRule: Sendable {
    typealias Breach = (mode: String, words: String)

    let name: String
    let path: String
    var query = ""
    let promise: String
    let remedy: String
    var state = Diagnosis.State.failed
    /// Returns what a mode did instead, judging by its trial and the requests that it made.
    let breach: @Sendable (Trial, [OriginLog.Record]) -> String?

    var target: String { path + query }

    func diagnosis(_ breaches: [Breach], modeCount: Int) -> Diagnosis {
        guard !breaches.isEmpty else {
            return Diagnosis(name, .available, promise + " (\(modeCount) mode\(modeCount == 1 ? "" : "s"))")
        }
        let words = breaches.map { "\($0.mode) \($0.words)" }.joined(separator: "; ")
        return Diagnosis(name, state, words, remedy: remedy)
    }

    static let all = [oneRequest, errorStatus, redirect, cutBody, noRetry]

    private static let oneRequest = ConductRule(
        name: "one request", path: "/text/256KiB",
        promise: "the body is requested once, with Accept-Encoding: identity",
        remedy: "send one GET with Accept-Encoding: identity, so that compression does not change what is measured",
        state: .limited,
        breach: { trial, requests in
            guard trial.isCompleted else { return trial.outcome.words }
            if requests.count != 1 { return "sent \(requests.count) requests" }
            let encoding = requests[0].headers["accept-encoding"] ?? "identity"
            return encoding == "identity" ? nil : "asked for Accept-Encoding: \(DocumentMistake.shown(encoding))"
        })

    private static let errorStatus = ConductRule(
        name: "error status", path: "/faults/status/404", promise: "status 404 is reported as http_status",
        remedy: "report a failure with the code http_status for every status of 400 or more",
        breach: { trial, _ in
            if trial.isCompleted { return "accepted the page of status 404 as the body" }
            guard let code = trial.report?.failure?.code else { return trial.outcome.words }
            return code == FetchFailure.Code.httpStatus.rawValue ? nil : "reported \(code) for status 404"
        })

    private static let redirect = ConductRule(
        name: "redirect", path: "/redirect/302", query: "?to=/text/64KiB", promise: "redirects are followed",
        remedy: "follow redirects; otherwise URLs that redirect cannot be measured", state: .limited,
        breach: { trial, _ in trial.isCompleted ? nil : trial.outcome.words })

    private static let cutBody = ConductRule(
        name: "truncated body", path: "/faults/short", promise: "a truncated body is reported as a failure",
        remedy: "compare the length with Content-Length, and report truncated_body",
        breach: { trial, _ in
            trial.isCompleted ? "accepted a truncated body" : trial.unexplained
        })

    private static let noRetry = ConductRule(
        name: "no retries", path: "/faults/reset", promise: "a lost connection is a failure, without another request",
        remedy: "disable retries: what is fetched twice may be held twice", state: .limited,
        breach: { trial, requests in
            if trial.isCompleted { return "accepted a body whose connection was lost" }
            return requests.count > 1 ? "sent \(requests.count) requests" : trial.unexplained
        })
}

extension Trial {
    /// The outcome of a trial that failed without a `failure` in its report; `nil` for any other trial.
    fileprivate var unexplained: String? {
        isCompleted || report?.failure != nil ? nil : outcome.words
    }
}

extension Outcome {
    /// The detail, preceded by the kind unless that is `failed`.
    var words: String {
        let word = kind.rawValue.replacing("_", with: " ")
        if detail.isEmpty { return word }
        return kind == .failed ? detail : "\(word): \(detail)"
    }
}
