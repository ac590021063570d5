// SPDX-License-Identifier: Apache-2.0

import Behaviours
import OperatingSystem
import Probes
import Testing

/// Every promise is judged by its evidence: the opposite evidence gets the opposite word.
@Suite struct OppositeEvidence {
    static let table: [MadeUp] = [
        MadeUp.backPressure, MadeUp.resume, MadeUp.timeouts, MadeUp.connections, MadeUp.cancel, MadeUp.delivery,
        MadeUp.delegates, MadeUp.http, MadeUp.combine, MadeUp.platform,
    ].flatMap(\.self)

    @Test func everyBehaviourHasBothKindsOfEvidence() {
        #expect(BehaviourCatalog.all.map(\.name).sorted() == Self.table.map(\.name).sorted())
    }

    @Test func everyBehaviourHasANameOfItsOwn() {
        #expect(Set(BehaviourCatalog.all.map(\.name)).count == BehaviourCatalog.all.count)
    }

    @Test(arguments: table)
    func evidenceForAPromiseHoldsAndEvidenceAgainstItDoesNot(_ entry: MadeUp) throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == entry.name })
        let kept = behaviour.observation(of: entry.holds)
        #expect(kept.word == .holds, "\(kept.detail)")
        let broken = behaviour.observation(of: entry.breaks)
        #expect(broken.word == entry.word, "\(broken.detail)")
        if let flaw = behaviour.flaw {
            #expect(flaw.words.contains(entry.word) || behaviour.attempts > 1, "what the flaw is said to show as")
        }
        #expect(!kept.detail.isEmpty && !broken.detail.isEmpty && kept.detail != broken.detail)
    }

    /// Those whose promise is about what the origin is asked for at all.
    static let brokenBySilence: Set<String> = ["websocket"]

    /// A probe that asked the origin for nothing is neither for nor against a promise, unless nothing is what breaks it.
    @Test(arguments: table)
    func noEvidenceNeverHolds(_ entry: MadeUp) throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == entry.name })
        guard case .probe = behaviour.attempt else { return }
        let word: Word = Self.brokenBySilence.contains(entry.name) ? .absent : .notTried
        #expect(behaviour.observation(of: Evidence()).word == word)
        // Whatever the caller says of it.
        var silent = entry.holds
        silent.requests = []
        for index in silent.marks.indices { silent.marks[index].requests = 0 }
        #expect(behaviour.observation(of: silent).word == word)
    }

    @Test(arguments: table)
    func endingsOutweighWhateverElseWasSeen(_ entry: MadeUp) throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == entry.name })
        var evidence = entry.holds
        let endings: [(Ending, Word, Word)] = [
            (.killedAtLimit, .deadlocks, .notTried), (.signalled(4), .traps, .notTried),
            (.signalled(9), .notTried, .notTried), (.exited(2), .notTried, .notTried),
            (.notStarted("no such file"), .notTried, .notTried),
        ]
        for (ending, ofProbe, ofSnippet) in endings {
            evidence.ending = ending
            let word = behaviour.observation(of: evidence).word
            if case .probe = behaviour.attempt { #expect(word == ofProbe) } else { #expect(word == ofSnippet) }
        }
    }

    /// A flaw says where it comes from; its number upstream names a repository.
    @Test func everyFlawHasACauseAndNeverHolds() {
        let flaws = BehaviourCatalog.all.compactMap(\.flaw)
        #expect(flaws.count > 20)
        for flaw in flaws {
            #expect(!flaw.words.isEmpty && !flaw.words.contains(.holds) && !flaw.words.contains(.notTried))
            #expect(flaw.cause.count > 10)
            #expect(flaw.upstream.map { $0.contains("#") && !$0.hasPrefix("#") } ?? true, "\(flaw.upstreamText)")
        }
    }

    @Test func everyBehaviourHasAProbe() {
        for behaviour in BehaviourCatalog.all + BehaviourCatalog.hidden {
            guard case .probe(let name) = behaviour.attempt else { continue }
            #expect(ProbeCatalog.probe(named: name) != nil, "\(name)")
        }
        #expect(Set(ProbeCatalog.all.map(\.name)).count == ProbeCatalog.all.count)
    }
}
