// SPDX-License-Identifier: Apache-2.0

/// One promise of a fetch API, how it is tried, and how what was seen becomes an observation.
package struct Behaviour: Sendable {
    /// Its name, in kebab case.
    package let name: String
    /// Which API it is about.
    package let path: String
    /// What a user of the API expects, in one sentence.
    package let promise: String
    /// How it is tried.
    package let attempt: Attempt
    /// How long the child may take.
    package let limit: Duration
    /// Whether an origin that nobody asked for anything is an answer, too.
    private let silenceAnswers: Bool
    /// Decides on evidence of a child that ended in order; a pure function.
    private let observe: @Sendable (Evidence) -> Observation

    /// Creates a behaviour.
    /// - Parameters:
    ///   - probe: the probe's name, or `nil` where it is that of the behaviour.
    ///   - seconds: how long the child may take; what takes longer is said to deadlock.
    ///   - silenceAnswers: whether an origin that nobody asked for anything is an answer, too; elsewhere it is none.
    package init(
        _ name: String, path: String, promise: String, probe: String? = nil, seconds: Int = 20,
        silenceAnswers: Bool = false, observe: @escaping @Sendable (Evidence) -> Observation
    ) {
        self.init(
            name, path: path, promise: promise, attempt: .probe(probe ?? name), seconds: seconds,
            silenceAnswers: silenceAnswers, observe: observe)
    }

    /// Creates a behaviour that is tried in any way.
    package init(
        _ name: String, path: String, promise: String, attempt: Attempt, seconds: Int,
        silenceAnswers: Bool = false, observe: @escaping @Sendable (Evidence) -> Observation
    ) {
        self.name = name
        self.path = path
        self.promise = promise
        self.attempt = attempt
        limit = .seconds(seconds)
        self.silenceAnswers = silenceAnswers
        self.observe = observe
    }

    /// What the evidence says.
    package func observation(of evidence: Evidence) -> Observation {
        if case .snippet(let snippet) = attempt { return snippet.observation(of: evidence) }
        let ended = evidence.ending.observation(
            complaint: evidence.complaint, limit: limit, requests: evidence.requests.count,
            lastStep: evidence.fact("step"))
        if let ended { return ended }
        // What was never asked for says nothing about the promise.
        guard evidence.requestCount > 0 || silenceAnswers else { return .missing("request at the origin") }
        return observe(evidence)
    }
}

extension Snippet {
    /// What the compiler's answer says; a compiler that fails over something else has said nothing.
    fileprivate func observation(of evidence: Evidence) -> Observation {
        switch evidence.ending {
        case .exited(0): Observation(.holds, "a program that uses it compiles")
        case .exited where evidence.complaint.contains(symbol):
            Observation(.absent, "the compiler: \(evidence.complaint)")
        case .exited, .signalled: Observation(.notTried, "the compiler failed: \(evidence.complaint)")
        case .killedAtLimit: Observation(.notTried, "the compiler took too long")
        case .notStarted(let reason): Observation(.notTried, reason)
        }
    }
}
