// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// A promise of a fetch API, the way it is tried, and the rule that turns evidence into an observation.
package struct Behaviour: Sendable {
    package let name: String
    package let path: String
    package let promise: String
    /// The document that promises it or leaves it open; `nil` if none does either.
    package let documentation: Documentation?
    package let attempt: Attempt
    /// The number of attempts: more than one if the outcome varies by chance.
    package let attempts: Int
    package let limit: Duration
    /// True if the flaw does not show on every machine at every load, so that an expectation accepts that it does not.
    private let mayHold: Bool
    /// True if its probe also gets an address over TLS, and the authority of its certificate.
    package let isOverTLS: Bool
    /// True if `http_proxy` names the origin to its probe, which is exempt itself.
    package let isProxied: Bool
    /// The known reason why it does not hold on some toolchain, if any.
    package let flaw: Flaw?
    /// True if it is an answer, too, when no request reaches the origin.
    private let silenceAnswers: Bool
    /// Judges the evidence of a child that exited normally; a pure function.
    private let observe: @Sendable (Evidence) -> Observation

    /// - Parameters:
    ///   - attempt: The kind of attempt, or `nil` for the probe of the behaviour's name.
    ///   - seconds: The time limit of the child, after which it counts as deadlocked.
    init(
        _ name: String, path: String, promise: String, documented documentation: Documentation?,
        attempt: Attempt? = nil, seconds: Int = 20, attempts: Int = 1,
        silenceAnswers: Bool = false, overTLS isOverTLS: Bool = false, proxied isProxied: Bool = false,
        mayHold: Bool = false,
        flaw: Flaw? = nil,
        observe: @escaping @Sendable (Evidence) -> Observation
    ) {
        (self.name, self.path, self.promise) = (name, path, promise)
        self.documentation = documentation
        self.attempt = attempt ?? .probe(name)
        (self.attempts, self.flaw, self.isOverTLS, self.isProxied) = (attempts, flaw, isOverTLS, isProxied)
        self.mayHold = mayHold
        limit = .seconds(seconds)
        (self.silenceAnswers, self.observe) = (silenceAnswers, observe)
    }

    /// The words that an expectation treats as equal: those of the flaw, if chance decides between them, and that of a
    /// promise that is kept, if chance decides whether the flaw shows.
    package var interchangeable: [Verdict] {
        guard attempts > 1, let flaw else { return [] }
        return flaw.words + (mayHold ? [isPromised ? .holds : .asItIs] : [])
    }

    /// True if a document promises it, or if upstream accepted by a fix that it should hold.
    package var isPromised: Bool { documentation?.isPromise == true || flaw?.fixedIn != nil }

    /// Returns the observation of one attempt: only a promise is kept or broken.
    package func observation(of evidence: Evidence) -> Observation {
        var observation = judgement(of: evidence)
        if !isPromised, observation.word == .holds { observation.word = .asItIs }
        if !isPromised, observation.word == .broken { observation.word = .hazard }
        return observation
    }

    private func judgement(of evidence: Evidence) -> Observation {
        if case .snippet(let snippet) = attempt { return snippet.observation(of: evidence) }
        let ended = evidence.ending.observation(
            complaint: evidence.complaint, limit: limit, requests: evidence.requests.count,
            lastStep: evidence.fact("step"))
        if let ended { return ended }
        // Without a request nothing was tried.
        guard evidence.requestCount > 0 || silenceAnswers else { return .missing("request at the origin") }
        return observe(evidence)
    }

    /// Returns the observation of all attempts, the evidence that it describes, and the count of each word.
    ///
    /// A promise holds if every attempt kept it; otherwise the word is the most frequent of the others.
    package func verdict(on attempts: [Evidence]) -> (
        observation: Observation, evidence: Evidence, shares: [Verdict: Int]
    ) {
        let seen = attempts.map { (observation: observation(of: $0), evidence: $0) }
        let shares = seen.reduce(into: [Verdict: Int]()) { $0[$1.observation.word, default: 0] += 1 }
        // Ties are resolved by the order of the words, so that the same shares give the same word.
        let order = Verdict.allCases.filter { shares[$0] != nil }
        let tried = order.filter { $0 != .notTried }
        let word = tried.filter { !$0.isKept }.max { (shares[$0] ?? 0) < (shares[$1] ?? 0) } ?? tried.first
        guard let entry = seen.first(where: { $0.observation.word == word }) ?? seen.first else {
            let nothing = Evidence(ending: .notStarted("it was not tried"))
            return (observation(of: nothing), nothing, [:])
        }
        guard attempts.count > 1 else { return (entry.observation, entry.evidence, [:]) }
        let share = order.map { "\($0.rawValue) in \(shares[$0] ?? 0)" }.joined(separator: ", ")
        let detail = "\(share) of \(attempts.count) attempts; for example: "
        return (Observation(entry.observation.word, detail + entry.observation.detail), entry.evidence, shares)
    }

    package enum Attempt: Hashable, Sendable {
        /// A probe of ``ProbeCatalog`` makes the calls in a child process.
        case probe(String)
        /// The compiler checks a program that uses the API: a missing API cannot be run.
        case snippet(Snippet)
    }

    package struct Snippet: Hashable, Sendable {
        package var symbol: String
        package var body: String

        package var source: String {
            """
            import Foundation
            #if canImport(FoundationNetworking)
            import FoundationNetworking
            #endif
            func use(session: URLSession, url: URL) async throws { \(body) }

            """
        }
    }
}

extension Behaviour.Snippet {
    /// Returns the observation of a compilation; an error that does not name the API means that nothing was tried.
    fileprivate func observation(of evidence: Evidence) -> Observation {
        switch evidence.ending {
        case .exited(0): Observation(.holds, "a program that uses it compiles")
        case .exited where evidence.complaint.contains(symbol):
            Observation(.absent, "the compiler: \(evidence.complaint)")
        case .exited, .signalled: Observation(.notTried, "the compiler failed: \(evidence.complaint)")
        case .killedAtLimit: Observation(.notTried, "the compiler took too long")
        case .killedOverMemory, .wroteTooMuch: Observation(.notTried, "the compiler held or wrote too much")
        case .notStarted(let reason): Observation(.notTried, reason)
        }
    }
}

/// The document that promises a behaviour, or that leaves it open.
package struct Documentation: Codable, Hashable, Sendable {
    /// The author and the place: `Apple, URLSessionTask.suspend()`.
    package var source: String
    package var link: String
    /// The statement of a document that does not promise the behaviour; `nil` if it does.
    package var says: String?

    package init(_ source: String, link: String, says: String? = nil) {
        (self.source, self.link, self.says) = (source, link, says)
    }

    package var isPromise: Bool { says == nil }
}
