// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct TrialAssemblerTests {
    /// The outcome of a good trial whose process ended differently.
    private func ended(
        saying complaint: String = "", _ change: (inout ProcessEnd) throws -> Void
    ) throws -> Outcome {
        var end = try SyntheticTrial().end()
        try change(&end)
        var assembler = assembler(for: SyntheticTrial())
        assembler.complaint = complaint
        return assembler.trial(of: end).outcome
    }

    /// The outcome of a good trial whose process answered differently.
    private func answered(_ change: (inout TrialReport) throws -> Void) throws -> Outcome {
        var report = try SyntheticTrial().report()
        try change(&report)
        return try ended { $0.output = Array(try JSONEncoder().encode(report)) }
    }

    private func assembler(for synthetic: SyntheticTrial, timeout: Double = 60) -> TrialAssembler {
        TrialAssembler(slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: timeout)
    }

    @Test func aTrialThatDidEverythingIsCompleted() throws {
        let trial = try SyntheticTrial().trial()
        #expect(trial.outcome == .completed)
        #expect(trial.isCompleted)
        #expect(trial.doubts.isEmpty)
        #expect(trial.processNanoseconds == 1_450_000_000)
        #expect(trial.assetByteCount == Asset.hero.byteCount)
    }

    @Test func onlyTheAnswerToAGETMayNotBeEmpty() throws {
        var synthetic = SyntheticTrial()
        (synthetic.asset, synthetic.bodySHA256) = (
            Asset(name: "0", location: "/", isEmbedded: true, byteCount: .zero), nil
        )
        let end = try synthetic.end()
        var assembler = assembler(for: synthetic)
        #expect(assembler.trial(of: end).outcome.detail.hasPrefix("empty_body"))
        assembler.details = RequestDetails(method: "DELETE")
        #expect(assembler.trial(of: end).isCompleted)
    }

    @Test func theNullCaseNeedsNoBody() throws {
        let trial = try SyntheticTrial(cell: .null(on: .glibc), asset: nil).trial()
        #expect(trial.outcome == .completed)
        #expect(trial.assetByteCount == nil)
    }

    @Test func aKilledTrialIsTimedOutWhateverEndedIt() throws {
        let silent = try ended {
            $0.ending = .killedAtLimit
            $0.output = []
        }
        #expect(silent.kind == .timedOut && silent.detail.contains("60.0 s") && silent.detail.contains("36 MiB"))
        let late = try ended { $0.ending = .killedAtLimit }
        #expect(late.kind == .timedOut && late.detail != silent.detail, "it says that it had answered")
    }

    @Test func aSignalIsACrashEvenAfterAnAnswer() throws {
        let outcome = try ended(saying: "stack smashed") { $0.ending = .signalled(11) }
        #expect(outcome.kind == .crashed)
        #expect(outcome.detail.hasPrefix("signal 11 ("))
        #expect(outcome.detail.hasSuffix("): stack smashed"))
    }

    @Test func anExitStatusOfItsOwnIsACrash() throws {
        let outcome = try ended(saying: "no such file") { $0.ending = .exited(66) }
        #expect(outcome == Outcome(.crashed, "exit status 66: no such file"))
    }

    @Test(arguments: ["", "garbage", "{}", "{\"version\": 1", "[1, 2]", "\u{0}\u{1}"])
    func anAnswerThatCannotBeReadIsAFailure(text: String) throws {
        let outcome = try ended { $0.output = Array(text.utf8) }
        #expect(outcome.kind == .failed && outcome.detail.hasPrefix("the trial's report is invalid: "))
    }

    @Test func anAllocatorThatWasNotAskedForIsAFailure() throws {
        let outcome = try answered { $0.allocator.name = "jemalloc" }
        #expect(outcome == Outcome(.failed, "started with glibc, but the process runs on jemalloc with its defaults"))
    }

    @Test func aFailureNamesItsPhaseItsCodeAndWhatHappened() throws {
        let outcome = try answered {
            $0.failure = try Self.failure("fetch", "http_status", "status 404", rejected: false)
        }
        #expect(outcome == Outcome(.failed, "fetch: http_status: status 404"))
    }

    @Test func aLimitThatStoppedATrialIsARejection() throws {
        let outcome = try answered {
            $0.failure = try Self.failure("render", "over_limit", "400000000 pixels", rejected: true)
        }
        #expect(outcome == Outcome(.rejected, "render: over_limit: 400000000 pixels"))
    }

    @Test func anAnswerWithoutABodyIsAFailure() throws {
        #expect(try answered { $0.body = nil } == Outcome(.failed, "no body was reported"))
    }

    @Test func aBodyOfAnotherLengthIsWrong() throws {
        let outcome = try answered { $0.body?.byteCount = ByteCount(17) }
        #expect(outcome == Outcome(.wrongBody, "17 bytes instead of 13099008"))
    }

    @Test func aBodyWithAnotherHashIsWrong() throws {
        let outcome = try answered { $0.body?.sha256 = String(repeating: "f", count: 64) }
        #expect(outcome == Outcome(.wrongBody, "SHA-256 ffffffffffffffff… instead of 0123456789abcdef…"))
    }

    @Test func aBodyVerifiedByLengthAloneNeedsNoHash() throws {
        #expect(try answered { $0.body?.sha256 = nil } == .completed)
    }

    @Test func theSizeOfAForeignAssetIsThatOfItsBody() throws {
        var synthetic = SyntheticTrial()
        let end = try synthetic.end()
        synthetic.asset?.byteCount = nil
        let trial = assembler(for: synthetic).trial(of: end)
        #expect(trial.assetByteCount == ByteCount(13_099_008))
        #expect(trial.copiesHeld != nil)
    }

    @Test func onlySamplesFromFetchToRenderCount() throws {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        let huge = ByteCount.mebibytes(900)
        for time in [999_999_999, 1_383_000_001] {
            end.series.samples.append(Sample(timeNanoseconds: time, resident: huge, shared: .zero))
        }
        end.series.samples.sort { $0.timeNanoseconds < $1.timeNanoseconds }
        #expect(assembler(for: synthetic).trial(of: end).sampledMaximum == .mebibytes(18 + 6 + 25))
    }

    @Test func aTrialThatHeldTooMuchIsOverItsLimitWhateverElseEndedIt() throws {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        end.ending = .killedOverMemory(.mebibytes(213))
        end.output = []
        let assembler = TrialAssembler(
            slot: synthetic.slot, asset: synthetic.asset, timeoutSeconds: 60, memoryLimit: .mebibytes(200))
        let trial = assembler.trial(of: end)
        #expect(trial.outcome.kind == .overLimit)
        for words in ["213.0 MiB", "200.0 MiB", "--memory-limit"] { #expect(trial.outcome.detail.contains(words)) }
        #expect(!trial.isCompleted && trial.peakResidentGrowth == nil)
    }

    @Test func aCommandThatHeldTooMuchIsOverItsLimit() throws {
        let outcome = try answered {
            $0.failure = try Self.failure("fetch", "memory_limit", "killed", rejected: false)
        }
        #expect(outcome == Outcome(.overLimit, "fetch: memory_limit: killed"))
        // A picture beyond the renderer's limits is refused before anything is held.
        let refused = try answered { $0.failure = try Self.failure("render", "over_limit", "large", rejected: true) }
        #expect(refused.kind == .rejected)
    }

    @Test func samplesThatWereLostOrLateDegradeATrial() throws {
        let synthetic = SyntheticTrial()
        #expect(try !synthetic.trial().samplesDegraded)
        var lost = try synthetic.end()
        lost.series.dropped = 1
        #expect(assembler(for: synthetic).trial(of: lost).samplesDegraded)
        var late = try synthetic.end()
        late.series.samples.remove(at: 5)
        #expect(assembler(for: synthetic).trial(of: late).samplesDegraded)
    }

    @Test func aTrialWithoutAnAnswerKeepsWhatTheHarnessSaw() throws {
        let synthetic = SyntheticTrial()
        var end = try synthetic.end()
        end.output = []
        end.ending = .signalled(6)
        let trial = assembler(for: synthetic).trial(of: end)
        #expect(trial.report == nil)
        #expect(trial.anonymousPeaks.isEmpty)
        #expect(trial.peakResidentGrowth == nil)
        #expect(trial.processNanoseconds == 1_450_000_000)
        #expect(trial.seed == synthetic.seed)
    }

    private static func failure(
        _ phase: String, _ code: String, _ detail: String, rejected: Bool
    ) throws -> TrialReport.Failure {
        let fields: [String: Any] = ["phase": phase, "code": code, "detail": detail, "rejected": rejected]
        return try JSONDecoder().decode(
            TrialReport.Failure.self, from: JSONSerialization.data(withJSONObject: fields))
    }
}

struct ForeignBodyTests {
    private static let cell = Case(asset: "big", mode: "data", render: "none", allocator: .glibc)

    private static let length = SyntheticTrial().asset?.byteCount?.rawValue ?? 0

    private static func hash(_ digit: String) -> String { String(repeating: digit, count: 64) }

    /// A server's response with a body of the length of synthetic trials.
    private static func asset(_ change: (inout ReferenceReport) -> Void = { _ in }) -> Asset {
        var reference = ReferenceReport()
        reference.status = 200
        reference.identity = ReferenceReport.Body(byteCount: Self.length, sha256: hash("a"))
        change(&reference)
        return Asset(name: "big", location: "https://example.org/", isEmbedded: false).compared(with: reference)
    }

    private func outcome(sha256: String, of asset: Asset, isCommand: Bool = false) throws -> Outcome {
        let answer = try SyntheticTrial(cell: Self.cell, bodySHA256: sha256).end()
        let slot = SyntheticTrial(cell: Self.cell).slot
        return TrialAssembler(slot: slot, asset: asset, timeoutSeconds: 60).trial(of: answer).outcome
    }

    @Test func onlyTheBodyOfTheReferenceIsRight() throws {
        let asset = Self.asset()
        #expect(try outcome(sha256: Self.hash("a"), of: asset) == .completed)
        let wrong = try outcome(sha256: Self.hash("b"), of: asset)
        #expect(wrong == Outcome(.wrongBody, "SHA-256 bbbbbbbbbbbbbbbb… instead of aaaaaaaaaaaaaaaa…"))
    }

    @Test func encodedBodiesMayBeDecodedOrNot() throws {
        let asset = Self.asset {
            $0.identity = ReferenceReport.Body(
                byteCount: Self.length, sha256: Self.hash("e"), encoding: "gzip", decodedByteCount: Self.length,
                decodedSHA256: Self.hash("a"))
        }
        for digit in ["a", "e"] { #expect(try outcome(sha256: Self.hash(digit), of: asset) == .completed) }
        #expect(try outcome(sha256: Self.hash("b"), of: asset).kind == .wrongBody)
    }

    @Test func aServerThatChangesItsAnswerMakesNoModeWrong() throws {
        let asset = Self.asset {
            $0.isChanging = true
            $0.others = [ReferenceReport.Body(byteCount: Self.length, sha256: Self.hash("c"))]
        }
        #expect(try outcome(sha256: Self.hash("b"), of: asset) == .completed)
        let other = Self.asset {
            $0.isChanging = true
            $0.others = [ReferenceReport.Body(byteCount: 7, sha256: Self.hash("c"))]
        }
        #expect(other.byteCount == nil && other.sha256 == nil)
    }

    @Test func aCommandMayAskForGzip() throws {
        let asset = Self.asset {
            $0.gzip = ReferenceReport.Body(
                byteCount: 5, sha256: Self.hash("e"), encoding: "gzip", decodedByteCount: Self.length,
                decodedSHA256: Self.hash("a"))
        }
        let compressed = try BodyReading.synthetic(byteCount: ByteCount(5), sha256: Self.hash("e"))
        #expect(asset.difference(of: compressed, ofCommand: true) == nil)
        #expect(asset.difference(of: compressed, ofCommand: false) != nil)
    }
}

struct BodyVerifierTests {
    /// Over three of the verifier's buffers, and not a multiple of one.
    private static let bytes = (0..<200_003).map { UInt8($0 % 251) }

    /// Printed by `python3 -c 'import sys; sys.stdout.buffer.write(bytes(i % 251 for i in range(200003)))' | sha256sum`.
    private static let sha256 = "49cbf04ab31e40bccff20650404805fc4a1f508e56d891f406ec592a2176d2e4"

    private func body(_ content: FetchedBody.Content, sha256: String? = nil) -> FetchedBody {
        FetchedBody(
            content: content, byteCount: Self.bytes.count, sha256: sha256,
            verificationCPUNanoseconds: sha256 == nil ? 0 : 77)
    }

    @Test func aBodyInMemoryIsHashedAndHasNoPageCache() throws {
        let reading = try #require(try BodyVerifier().reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        #expect(reading.sha256 == Self.sha256)
        #expect(reading.byteCount == ByteCount(200_003))
        #expect(reading.pageCache == nil)
        #expect(reading.verificationCPUNanoseconds > 0)
    }

    @Test func aBodyInAFileHasTheSameHash() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/body"
            try Data(Self.bytes).write(to: URL(fileURLWithPath: path))
            let reading = try #require(try BodyVerifier().reading(of: body(.file(path: path)), by: .sha256))
            #expect(reading.sha256 == Self.sha256)
            #expect(reading.verificationCPUNanoseconds > 0)
            #expect(reading.pageCache == (try? PageCache.residentBytes(ofFile: path)))
        }
    }

    @Test func oneVerifierHashesManyBodies() throws {
        let verifier = BodyVerifier()
        let first = try #require(try verifier.reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        let second = try #require(try verifier.reading(of: body(.memory(Data(Self.bytes))), by: .sha256))
        #expect(first.sha256 == second.sha256)
    }

    @Test func noBodyIsHashedTwice() throws {
        let reading = try #require(
            try BodyVerifier().reading(of: body(.memory(Data()), sha256: "from the mode"), by: .sha256))
        #expect(reading.sha256 == "from the mode")
        #expect(reading.verificationCPUNanoseconds == 77)
    }

    @Test func theLengthAloneNeedsNoHash() throws {
        let reading = try #require(try BodyVerifier().reading(of: body(.memory(Data(Self.bytes))), by: .length))
        #expect(reading.sha256 == nil)
        #expect(reading.verificationCPUNanoseconds == 0)
        #expect(reading.byteCount == ByteCount(200_003))
    }

    @Test func aNullTrialHasNoBodyToVerify() throws {
        #expect(try BodyVerifier().reading(of: .nothing, by: .sha256) == nil)
    }

    @Test func aFileThatIsGoneIsAFailureWithoutItsPath() throws {
        try withTemporaryFolder { folder in
            let failure = try #require(throws: FetchFailure.self) {
                try BodyVerifier().reading(of: body(.file(path: folder + "/gone")), by: .sha256)
            }
            #expect(failure.code == .file)
            #expect(!failure.detail.contains(folder))
        }
    }
}
