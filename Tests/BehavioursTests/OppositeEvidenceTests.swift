// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Probes
import Testing

/// Every promise is judged by its evidence: the opposite evidence gets the opposite word.
@Suite struct OppositeEvidence {
    static let table: [MadeUp] = [
        MadeUp.backPressure, MadeUp.resume, MadeUp.timeouts, MadeUp.connections, MadeUp.cancel, MadeUp.delivery,
        MadeUp.delegates, MadeUp.http, MadeUp.combine, MadeUp.platform,
        MadeUp.configurations, MadeUp.sessions, MadeUp.urlTasks, MadeUp.lengths, MadeUp.customProtocols,
        MadeUp.clientDefaults, MadeUp.publishers, MadeUp.publisherFailures, MadeUp.taskTrees, MadeUp.lostConnections,
        MadeUp.challenges, MadeUp.answerForms, MadeUp.tls,
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
        #expect(kept.word == (behaviour.isPromised ? .holds : .asItIs), "\(kept.detail)")
        let broken = behaviour.observation(of: entry.breaks)
        let word = entry.word == .broken && !behaviour.isPromised ? .hazard : entry.word
        #expect(broken.word == word, "\(broken.detail)")
        if let flaw = behaviour.flaw {
            #expect(flaw.words.contains(word) || behaviour.attempts > 1, "what the flaw is said to show as")
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
        let word: Verdict = Self.brokenBySilence.contains(entry.name) ? .absent : .notTried
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
        let endings: [(Ending, Verdict, Verdict)] = [
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

    /// A flaw says where it comes from, what upstream says of it, and what to do instead.
    @Test func everyFlawHasACauseAndNeverHolds() {
        let flaws = BehaviourCatalog.all.compactMap(\.flaw)
        #expect(flaws.count > 20)
        for flaw in flaws {
            #expect(!flaw.words.isEmpty && !flaw.words.contains(.notTried) && !flaw.words.contains { $0.isKept })
            #expect(flaw.cause.count > 10)
            for issue in flaw.upstream {
                #expect(issue.repository.split(separator: "/").count == 2 && issue.number > 0, "\(issue.reference)")
            }
            // A release with a fix is known from the pull request that made it.
            #expect(flaw.fixedIn == nil || flaw.upstream.contains { $0.state == .merged })
            let row = flaw.workaround.row
            #expect(row == nil || BehaviourCatalog.all.contains { $0.name == row }, "\(row ?? "")")
            #expect(!flaw.workaround.text.isEmpty)
        }
    }

    /// What is observed in the way that is known: each column that a reader needs is there.
    @Test func everyRowThatDoesNotHoldHasCauseUpstreamStateAndWorkaround() {
        for behaviour in BehaviourCatalog.all {
            for word in Verdict.allCases where !word.isKept && word != .notTried {
                let row = BehaviourReport.Row(behaviour, Observation(word, "seen"))
                #expect(row.cause?.isEmpty == false && row.upstream != nil, "\(row.name)")
                #expect(row.fixedIn?.isEmpty == false && row.workaround?.text.isEmpty == false, "\(row.name)")
                let isKnown = behaviour.flaw?.words.contains(word) == true
                #expect((row.cause != "unknown") == isKnown, "\(row.name) \(word.rawValue)")
            }
        }
    }

    /// Only a promise is broken: of a document, or of upstream by a fix.
    @Test func whatNobodyPromisesIsAHazard() {
        for behaviour in BehaviourCatalog.all where !behaviour.isPromised {
            #expect(behaviour.flaw?.words.contains(.broken) != true, "\(behaviour.name)")
        }
        for behaviour in BehaviourCatalog.all where behaviour.isPromised {
            #expect(behaviour.flaw?.words.contains(.hazard) != true, "\(behaviour.name)")
        }
        let hazards = BehaviourCatalog.all.filter { $0.flaw?.words == [.hazard] }.map(\.name)
        #expect(
            Set(hazards) == [
                "back-pressure-data", "back-pressure-download", "suspend-resume-data", "resource-timeout-ahc",
                "request-timeout-queued", "connect-timeout-queued-ahc", "file-truncated-ahc",
                "request-timeout-zero", "cancel-download-file", "earliest-begin-date", "get-limit-ahc",
                "bare-lf", "bare-lf-ahc", "cut-gzip", "short-address", "redirect-authorization",
            ])
    }

    @Test func everyDocumentHasAnAddress() {
        for behaviour in BehaviourCatalog.all {
            guard let documentation = behaviour.documentation else { continue }
            #expect(documentation.link.hasPrefix("https://") && !documentation.source.isEmpty, "\(behaviour.name)")
            #expect(!documentation.link.contains(" ") && documentation.says?.isEmpty != true, "\(behaviour.name)")
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
