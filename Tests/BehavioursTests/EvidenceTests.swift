// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol
import Probes
import Testing

/// Evidence from the origin or the kernel overrides what the API reports.
@Suite struct SubtleEvidence {
    func word(_ name: String, _ evidence: Evidence) throws -> Verdict {
        try #require(BehaviourCatalog.all.first { $0.name == name }).observation(of: evidence).word
    }

    @Test func aBodyOfTheRightLengthAndTheWrongBytesIsNoResumedBody() throws {
        let requests = [RequestRecord.seen(bytes: 16 << 20)]
        let file = SeenFile(name: "body", bytes: 16 << 20, sha256: Expected.sha256(bytes: 16 << 20, seed: 9))
        #expect(try word("suspend-resume-data", Evidence(requests: requests, files: [file])) == .hazard)
    }

    @Test func callersThatWereToldCancelledDoNotHelpWhereTheTransfersWentOn() throws {
        var evidence = try #require(MadeUp.cancel.first { $0.name == "cancel-data" }).holds
        evidence.requests[7].endedNanoseconds = nil
        evidence.requests[7].ending = nil
        #expect(try word("cancel-data", evidence) == .broken)
    }

    @Test func cancelledTransfersDoNotHelpWhereACallerGotAnotherError() throws {
        var evidence = try #require(MadeUp.cancel.first { $0.name == "cancel-data" }).holds
        evidence.facts[3] = Fact("error", "-1005")
        #expect(try word("cancel-data", evidence) == .broken)
    }

    @Test func anErrorDoesNotHelpWhereAShortBodyWasAcceptedAllTheSame() throws {
        var evidence = try #require(MadeUp.delivery.first { $0.name == "short-body" }).holds
        evidence.files = [SeenFile(name: "accepted", bytes: 16 << 10)]
        #expect(try word("short-body", evidence) == .broken)
    }

    @Test func tenAtOnceSayNothingOfThoseThatWait() throws {
        let requests = (1...10).map { RequestRecord.seen(connection: $0, to: 2500) }
        let facts = times(10, Fact("error", "none"))
        #expect(try word("request-timeout-queued", Evidence(requests: requests, facts: facts)) == .notTried)
    }

    @Test func oneConnectionAfterTheOtherIsNotFiveAtATime() throws {
        let requests = (0..<10).map { RequestRecord.seen(from: $0 * 500, to: $0 * 500 + 500) }
        #expect(try word("connections-per-host", Evidence(requests: requests)) == .broken)
    }

    @Test(arguments: [(3, 0), (0, 5)])
    func descriptorsAndThreadsThatStayAreLeaksToo(descriptors: Int, threads: Int) throws {
        var evidence = try #require(MadeUp.connections.first { $0.name == "leaves-nothing-ahc" }).holds
        evidence.marks[3].descriptors += descriptors
        evidence.marks[3].threads += threads
        #expect(try word("leaves-nothing-ahc", evidence) == .hazard)
    }

    @Test func aSingleNoisyRoundIsNoLeak() throws {
        var evidence = try #require(MadeUp.connections.first { $0.name == "leaves-nothing-ahc" }).holds
        for index in 1...3 { evidence.marks[index].anonymousBytes += 900_000 }
        #expect(try word("leaves-nothing-ahc", evidence) == .asItIs)
    }

    /// 64 bytes a request is what the known leak leaves on jemalloc; one form of URL is enough.
    @Test(arguments: [(16, Verdict.holds), (17, .broken), (64, .broken)], 0..<4)
    func sixteenBytesARequestAreALeakInAnyFormOfURL(leak: (bytes: Int, word: Verdict), form: Int) throws {
        var evidence = MadeUp.rounds(leaving: 0, forms: ["path", "query", "fragment", "user"])
        for (index, round) in zip((form * 4)..., 0...3) {
            evidence.marks[index].anonymousBytes = round * leak.bytes * 1000
        }
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "leaves-nothing-data" })
        let observation = behaviour.observation(of: evidence)
        #expect(observation.word == leak.word)
        let name = ["path", "query", "fragment", "user"][form]
        #expect(
            observation.detail.contains("\(name) \(leak.bytes), \(leak.bytes), \(leak.bytes)"), "\(observation.detail)")
    }

    @Test func aSessionThatIsNeverServedIsADeadlockAndNotAWait() throws {
        var evidence = try #require(MadeUp.connections.first { $0.name == "sessions-independent" }).breaks
        evidence.requests[1].ending = nil
        #expect(try word("sessions-independent", evidence) == .deadlocks)
        evidence.requests.removeLast()
        #expect(try word("sessions-independent", evidence) == .deadlocks)
    }

    /// A missing callback is a hang only if the rest of the session continues.
    @Test func aSilentAnswerIsADeadlockWhereNothingElseIsAnsweredEither() throws {
        var evidence = try #require(MadeUp.http.first { $0.name == "unauthorized" }).breaks
        evidence.requests[1].ending = nil
        #expect(try word("unauthorized", evidence) == .deadlocks)
        evidence.facts.append(Fact("error", "-1012"))
        #expect(try word("unauthorized", evidence) == .broken)
    }

    @Test(arguments: [("nil", Verdict.absent), ("900 bytes", .broken)])
    func resumeDataThatIsNeverThereIsAbsentAndThatWhichFailsIsBroken(data: String, word: Verdict) throws {
        let evidence = Evidence(
            requests: [.seen(ending: .abandoned), .seen(headers: ["range": "bytes=1-"], status: 206)],
            files: [SeenFile(name: "body", bytes: 9, sha256: "0")], facts: [Fact("resume-data", data)])
        var stub = evidence
        stub.requests.removeLast()
        #expect(try self.word("resume-data", data == "nil" ? stub : evidence) == word)
    }

    /// The second response comes before the body is repeated: who empties a buffer there has the right body.
    @Test func aSecondResponseAndABufferThatIsEmptiedThereAreTold() throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "suspend-resume-data" })
        let responses = [Fact("response", "after no bytes"), Fact("response", "after some bytes")]
        var evidence = Evidence(
            requests: [.seen(ending: .abandoned), .seen(bytes: 16 << 20)],
            files: [SeenFile(name: "body", bytes: 21 << 20), .generated("emptied", bytes: 16 << 20)], facts: responses)
        #expect(behaviour.observation(of: evidence).word == .hazard)
        #expect(
            behaviour.observation(of: evidence).detail.hasSuffix(
                "2 responses, and a buffer that is emptied at each has the right body"))
        evidence.files.removeLast()
        #expect(behaviour.observation(of: evidence).detail.hasSuffix("a wrong body"))
    }

    @Test func aBodyThatIsDecodedWrongOrWasNeverCompressedIsNotDecoded() throws {
        let right = try #require(MadeUp.http.first { $0.name == "encoding-unasked" }).holds
        var whole = right
        whole.requests[0].bytesSent = ByteCount(64 << 10)
        var wrong = right
        wrong.files[0].sha256 = "0"
        for evidence in [whole, wrong] { #expect(try word("encoding-unasked", evidence) == .hazard) }
    }

    @Test func aWebSocketTaskThatAsksForSomethingElseIsBroken() throws {
        #expect(try word("websocket", Evidence(requests: [.seen()], facts: [Fact("error", "-1005")])) == .broken)
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "websocket" })
        let facts = [
            Fact("toolchain-platform", "Ubuntu 11"), Fact("libcurl", "libcurl/7.88.1 OpenSSL/3"),
            Fact("error", "-1002"),
        ]
        let detail = behaviour.observation(of: Evidence(facts: facts)).detail
        #expect(detail.contains("built on Ubuntu 11, with libcurl/7.88.1 loaded"))
    }

    /// The message of a trap is reported with the name of its signal.
    @Test func theReasonOfATrapIsTold() throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "caches" })
        let reason = "Fatal error: Index out of range: file A.swift, line 9"
        let observation = behaviour.observation(of: Evidence(ending: .signalled(4), complaint: reason))
        #expect(observation.word == .traps)
        #expect(
            observation.detail == "ended by signal 4 (Illegal instruction) after 0 requests at the origin: \(reason)")
    }

    @Test func aCompilerThatFailsOverSomethingElseSaysNothing() throws {
        let evidence = Evidence(ending: .exited(1), complaint: "no such module 'Foundation'")
        #expect(try word("exists-kvo", evidence) == .notTried)
    }

    @Test func aTimeOutThatEndsBeforeItWasAskedToIsBroken() throws {
        let requests = [1000, 2000].map { asked in
            RequestRecord.seen(query: ["after": "\(asked)"], status: nil, to: asked == 1000 ? 1000 : 0)
        }
        #expect(try word("request-timeout", Evidence(requests: requests)) == .broken)
    }

    @Test(arguments: ["resource-timeout", "resource-timeout-ahc"])
    func leavingLongAfterTheResourceTimeOutIsNotKeepingIt(name: String) throws {
        var evidence = try #require(MadeUp.timeouts.first { $0.name == name }).holds
        evidence.requests[0].endedNanoseconds = 4_000_000_000
        #expect(try !word(name, evidence).isKept)
        evidence.requests[0].endedNanoseconds = 2_800_000_000
        #expect(try word(name, evidence).isKept)
    }

    @Test(arguments: [(65_536, "16384", Verdict.broken), (3 << 20, "0", .broken), (65_536, "0", .holds)])
    func aRefusedBodyIsNeitherSentNorDelivered(sent: Int, delivered: String, word: Verdict) throws {
        let request = RequestRecord.seen(bytes: sent, ending: .abandoned)
        let evidence = Evidence(requests: [request], facts: [Fact("delivered", delivered)])
        #expect(try self.word("disposition", evidence) == word)
        #expect(try self.word("disposition", Evidence(requests: [request])) == .notTried)
    }

    @Test(arguments: ["resume-by-range", "resume-by-range-changed", "resume-by-range-unsupported"])
    func aBodyThatWasNotCutIsNotContinued(name: String) throws {
        var evidence = try #require(MadeUp.resume.first { $0.name == name }).holds
        evidence.requests[0].ending = .complete
        #expect(try word(name, evidence) == .notTried)
        #expect(try word(name, Evidence(requests: [.seen(ending: .cut)])) == .broken)
    }

    @Test func theLastStepOfAChildThatWasKilledIsSaid() throws {
        let behaviour = try #require(BehaviourCatalog.all.first { $0.name == "sessions-independent" })
        var evidence = Evidence(
            facts: [Fact("step", "made its task"), Fact("step", "resumed it")], ending: .killedAtLimit)
        #expect(behaviour.observation(of: evidence).detail.hasSuffix("; last step: resumed it"))
        evidence.facts = []
        #expect(!behaviour.observation(of: evidence).detail.contains("step"))
    }

    @Test func requestsAreCountedAtTheSameTimeOnlyWhereTheyOverlap() {
        let backToBack = [RequestRecord.seen(from: 0, to: 10), .seen(from: 10, to: 20)]
        #expect(Evidence(requests: backToBack).mostConcurrent == 1)
        let overlapping = [RequestRecord.seen(from: 0, to: 11), .seen(from: 10, to: nil)]
        #expect(Evidence(requests: overlapping).mostConcurrent == 2)
    }
}

/// Every promise is judged by its evidence: the opposite evidence gets the opposite word.
@Suite struct OppositeEvidence {
    static let table: [MadeUp] = [
        MadeUp.backPressure, MadeUp.resume, MadeUp.timeouts, MadeUp.connections, MadeUp.cancel, MadeUp.delivery,
        MadeUp.delegates, MadeUp.http, MadeUp.combine, MadeUp.platform,
        MadeUp.configurations, MadeUp.sessions, MadeUp.urlTasks, MadeUp.lengths, MadeUp.customProtocols,
        MadeUp.clientDefaults, MadeUp.publishers, MadeUp.publisherFailures, MadeUp.taskTrees, MadeUp.lostConnections,
        MadeUp.challenges, MadeUp.answerForms, MadeUp.tls, MadeUp.costs,
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
            #expect(flaw.words.contains(word) || behaviour.attempts > 1, "the flaw's words do not include \(word)")
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
    @Test func undocumentedDeviationsAreHazards() {
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
                "waiting-new-connection", "waiting-first-byte", "waiting-concurrent", "waiting-upload",
                "redirect-body", "header-lines", "cookie-lines", "small-chunks", "small-chunks-download",
                "subscription-kept",
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
