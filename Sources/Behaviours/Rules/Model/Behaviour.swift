// SPDX-License-Identifier: Apache-2.0

import OperatingSystem

/// One promise of a fetch API, how it is tried, and how what was seen becomes an observation.
package struct Behaviour: Sendable {
    /// Its name, in kebab case.
    package let name: String
    package let path: String
    /// What a user of the API expects, in one sentence.
    package let promise: String
    package let attempt: Attempt
    /// How often: more than once where what is seen is chance by nature.
    package let attempts: Int
    /// How long the child may take.
    package let limit: Duration
    /// Why it is known not to hold on some toolchain, or `nil` where no toolchain is known to break it.
    package let flaw: Flaw?
    /// Whether an origin that nobody asked for anything is an answer, too.
    private let silenceAnswers: Bool
    /// Decides on evidence of a child that ended in order; a pure function.
    private let observe: @Sendable (Evidence) -> Observation

    /// Creates a behaviour.
    /// - Parameters:
    ///   - probe: the probe's name, or `nil` where it is that of the behaviour.
    ///   - seconds: how long the child may take; what takes longer is said to deadlock.
    ///   - attempts: how often it is tried: more than once where what is seen is chance.
    ///   - silenceAnswers: whether an origin that nobody asked for anything is an answer, too; elsewhere it is none.
    ///   - flaw: why it is known not to hold.
    package init(
        _ name: String, path: String, promise: String, probe: String? = nil, seconds: Int = 20, attempts: Int = 1,
        silenceAnswers: Bool = false, flaw: Flaw? = nil, observe: @escaping @Sendable (Evidence) -> Observation
    ) {
        self.init(
            name, path: path, promise: promise, attempt: .probe(probe ?? name), seconds: seconds, attempts: attempts,
            silenceAnswers: silenceAnswers, flaw: flaw, observe: observe)
    }

    /// Creates a behaviour that is tried in any way.
    package init(
        _ name: String, path: String, promise: String, attempt: Attempt, seconds: Int, attempts: Int = 1,
        silenceAnswers: Bool = false, flaw: Flaw? = nil, observe: @escaping @Sendable (Evidence) -> Observation
    ) {
        self.name = name
        self.path = path
        self.promise = promise
        self.attempt = attempt
        self.attempts = attempts
        self.flaw = flaw
        limit = .seconds(seconds)
        self.silenceAnswers = silenceAnswers
        self.observe = observe
    }

    /// The words that an expectation takes for the same one: those of the flaw, where it is chance which is seen.
    package var interchangeable: [Word] { attempts > 1 ? flaw?.words ?? [] : [] }

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

    /// What all attempts say together, and the evidence that its words are of.
    ///
    /// A promise holds where every attempt kept it; else the word is the most frequent of the others.
    package func verdict(on attempts: [Evidence]) -> (observation: Observation, evidence: Evidence, shares: [Word: Int])
    {
        let seen = attempts.map { (observation: observation(of: $0), evidence: $0) }
        let shares = seen.reduce(into: [Word: Int]()) { $0[$1.observation.word, default: 0] += 1 }
        // In the order of the words where two are as frequent, so that the same shares give the same word.
        let order = Word.allCases.filter { shares[$0] != nil }
        let tried = order.filter { $0 != .notTried }
        let word = tried.filter { $0 != .holds }.max { (shares[$0] ?? 0) < (shares[$1] ?? 0) } ?? tried.first
        guard let entry = seen.first(where: { $0.observation.word == word }) ?? seen.first else {
            let nothing = Evidence(ending: .notStarted("it was not tried"))
            return (observation(of: nothing), nothing, [:])
        }
        guard attempts.count > 1 else { return (entry.observation, entry.evidence, [:]) }
        let share = order.map { "\($0.rawValue) in \(shares[$0] ?? 0)" }.joined(separator: ", ")
        let detail = "\(share) of \(attempts.count) attempts; for example: "
        return (
            Observation(entry.observation.word, detail + entry.observation.detail), entry.evidence, shares
        )
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
        case .killedOverMemory, .wroteTooMuch: Observation(.notTried, "the compiler held or wrote too much")
        case .notStarted(let reason): Observation(.notTried, reason)
        }
    }
}
