// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing

/// Judgements of synthetic values: families are corrected together, and missing values are reported.
@Suite struct CaseJudgeTests {
    private let judge = CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors())
    private static let whole = 4e7

    private func values(
        _ count: Int, _ asset: String = "hero", whole: Double = whole, times factors: [(Metric, Double)]
    ) -> CaseValues {
        CaseValues(
            Case(asset: asset, mode: "data", render: "none", allocator: .glibc),
            factors.map { metric, factor in
                let base = (0..<count).map { 2e7 + Double($0 / 2) * 4096 }
                return (metric, CaseValues.Values(base: base, head: base.map { $0 * factor }))
            }, whole: whole)
    }

    private var metrics: [Metric] { JudgedMetric.memory.map { $0.alternatives[0] } }

    /// Five trials of one metric can tell; of three metrics six have to, though one alone has changed.
    @Test(arguments: [(5, 1, Finding.Verdict.regressed), (5, 3, .inconclusive), (6, 3, .regressed)])
    func metricsThatDidNotChangeCountForStoredRuns(count: Int, judged: Int, verdict: Finding.Verdict) throws {
        let factors = metrics.prefix(judged).enumerated().map { ($1, $0 == 0 ? 1.5 : 1) }
        let findings = judge.findings(ofStored: [values(count, times: factors)])[0]
        #expect(findings.map(\.verdict) == [verdict] + findings.dropFirst().map { _ in .unchanged })
        let p = try #require(findings[0].p)
        #expect(abs(p - 2 * MannWhitney.smallestP(count, count) * Double(judged)) < 1e-12, "two-sided, of all")
        #expect(verdict != .inconclusive || findings[0].reason.contains("about 6 a side"))
    }

    @Test func casesThatDidNotChangeCountForStoredRuns() {
        let cases = (0..<5).map { values(6, "asset\($0)", times: [(metrics[0], $0 == 0 ? 1.5 : 1)]) }
        let findings = judge.findings(ofStored: cases).map { $0[0] }
        #expect(findings.map(\.verdict) == [.inconclusive, .unchanged, .unchanged, .unchanged, .unchanged])
        #expect(findings[0].reason.contains("about 7 a side"))
        #expect(judge.findings(ofStored: [cases[0]])[0][0].verdict == .regressed)
    }

    /// Samples of a short peak vary: they do not override the exact figure, and do not replace it.
    @Test func aNoisySampledFigureIsSetAsideWhereTheExactOneDecides() throws {
        let exact = (0..<6).map { 2e7 + Double($0 / 2) * 4096 }
        let noisy = CaseValues.Values(
            base: [1e7, 2e7, 1.1e7, 2.4e7, 1.3e7, 2.2e7], head: [2.3e7, 1.2e7, 2e7, 1e7, 2.1e7, 1.4e7])
        func findings(_ head: [Double]) -> [Finding] {
            judge.findings(ofStored: [
                CaseValues(
                    .plain("sort", on: .glibc),
                    [
                        (Metric.netPeakGrowth, CaseValues.Values(base: exact, head: head)),
                        (.peakAnonymousGrowth, noisy),
                    ],
                    whole: 2e7)
            ])[0]
        }
        let same = findings(exact)
        #expect(same.map(\.verdict) == [.unchanged, .notJudged] && same[1].reason.contains("sampled"))
        #expect(findings(exact.map { $0 * 1.5 }).map(\.verdict) == [.regressed, .notJudged])
        let judgement = Judgement(
            tool: "", kind: .interleaved, baseName: "", headName: "", judgedAt: "", seed: 1, findings: same,
            warnings: [],
            environment: SyntheticRun.environment)
        #expect(judgement.answer == .within)
        let alone = CaseValues(.plain("a", on: .glibc), [(Metric.peakAnonymousGrowth, noisy)], whole: 2e7)
        #expect(judge.findings(ofStored: [alone])[0].map(\.verdict) == [.inconclusive])
    }

    /// A fetch of a second that takes some milliseconds of processor, give or take 4 of them.
    private func spinning(_ base: Double, _ head: Double, noise: Double = 4) -> CaseValues {
        let values = [base, head].map { used in (0..<30).map { (used + noise * Double($0 % 3 - 1)) * 1e6 } }
        let memory = CaseValues.Values(base: [2e7, 2e7, 2e7, 2e7], head: [2e7, 2e7, 2e7, 2e7])
        return CaseValues(
            Case(asset: "hero", mode: "data", render: "none", allocator: .glibc),
            [
                (metrics[0], memory), (JudgedMetric.processor.alternatives[0], .init(base: values[0], head: values[1])),
            ], whole: Self.whole, time: 1e9)
    }

    /// A twentieth of a core, or a quarter of what the base takes, is the least that counts; a tenth of it for 2 % of noise.
    @Test(arguments: [
        (30.0, 130.0, Finding.Verdict.regressed), (30, 85, .regressed), (30, 75, .unchanged), (400, 460, .unchanged),
        (400, 520, .regressed), (130, 30, .improved),
    ])
    func processorTimeIsJudgedByTheTimeOfTheFetch(base: Double, head: Double, verdict: Finding.Verdict) throws {
        let judge = CaseJudge(rule: .interleaved, seed: 1, noise: NoiseFloors())
        let values = spinning(base, head)
        let finding = judge.findings(of: [values], confirmedBy: [values.cell.identifier: values])[0][1]
        #expect(finding.verdict == verdict && finding.metric == "fetch_cpu_ns", "\(finding)")
        let effect = try #require(finding.effect)
        #expect(abs(effect - (head - base) / 1000) < 0.01 && !finding.isExplainable)
    }

    @Test func processorTimeThatVariesTooMuchIsSetAside() {
        let judge = CaseJudge(rule: .interleaved, seed: 1, noise: NoiseFloors())
        let finding = judge.findings(of: [spinning(400, 410, noise: 390)], confirmedBy: [:])[0][1]
        #expect(finding.verdict == .notJudged && finding.reason.contains("noise"), "\(finding)")
    }

    /// A stored baseline is of another hour: twice as much has to change there.
    @Test(arguments: [(30.0, 120.0, Finding.Verdict.unchanged), (30, 150, .regressed)])
    func processorTimeIsJudgedMoreWidelyByABaseline(base: Double, head: Double, verdict: Finding.Verdict) {
        #expect(judge.findings(ofStored: [spinning(base, head)])[0][1].verdict == verdict)
    }

    /// Two processes that peak together by chance: each peak is exact, and what they hold at once is not.
    @Test func severalProcessesAreJudgedByTheSumOfTheirPeaksWhereChanceDecidesWhatTheyHoldTogether() {
        let exact = (0..<6).map { 3e7 + Double($0 / 2) * 4096 }
        let noisy = CaseValues.Values(
            base: [2e7, 3e7, 2.1e7, 2.8e7, 2.3e7, 2.9e7], head: [2.8e7, 2.2e7, 3e7, 2e7, 2.9e7, 2.4e7])
        func findings(sums: CaseValues.Values?) -> [Finding] {
            judge.findings(ofStored: [
                CaseValues(
                    .plain("a | b", on: .glibc), [(Metric.netPeakGrowth, noisy), (.peakAnonymousGrowth, noisy)],
                    sums: sums, whole: 3e7)
            ])[0]
        }
        let same = findings(sums: CaseValues.Values(base: exact, head: exact))
        #expect(same.map(\.verdict) == [.notJudged, .notJudged, .unchanged])
        #expect(same[2].metric == Metric.sumOfNetPeaks.name)
        // It answers for nothing else: a sum that changed may be more processes one after another.
        for head in [exact.map { $0 * 1.5 }, exact.map { $0 / 2 }, [2.8e7, 2.2e7, 3e7, 2e7, 2.9e7, 2.4e7]] {
            let open = findings(sums: CaseValues.Values(base: exact, head: head))
            #expect(open.map(\.verdict) == [.inconclusive, .inconclusive])
        }
        #expect(findings(sums: nil).map(\.verdict) == [.inconclusive, .inconclusive])
    }

    @Test func improvementsAndRegressionsAreFoundAlike() {
        let findings = judge.findings(ofStored: [values(6, times: [(metrics[0], 0.5), (metrics[1], 1.5)])])[0]
        #expect(findings.map(\.verdict) == [.improved, .regressed])
    }

    /// It has no phases, and whether it did its work nobody verifies.
    @Test func aPlainCommandIsJudgedAsAWhole() {
        let base = (0..<6).map { 2e7 + Double($0 / 2) * 4096 }
        let sort = CaseValues(
            .plain("sort", on: .glibc), [(metrics[0], CaseValues.Values(base: base, head: base.map { $0 / 2 }))],
            whole: Self.whole)
        let found = judge.findings(ofStored: [sort])[0][0]
        #expect(found.verdict == .improved && found.cell == "sort/glibc" && found.part == .command)
        #expect(found.phase == nil && found.reason.contains("same work") && !found.reason.contains("bodies"))
        let fetched = judge.findings(ofStored: [values(6, times: [(metrics[0], 0.5)])])[0][0]
        #expect(fetched.part == .fetchPath && fetched.reason.contains("bodies"))
    }

    /// The trials of a stored baseline are in both looks, so that what the first one found clean counts for the second.
    @Test func freshTrialsAreCorrectedForEverythingThatWasLookedAt() throws {
        let cases = (0..<4).map { values(12, "asset\($0)", times: [(metrics[0], $0 < 2 ? 1.5 : 1)]) }
        #expect(cases.map(judge.needsConfirmation) == [true, true, false, false])
        let fresh = (0..<2).map { values(5, "asset\($0)", times: [(metrics[0], $0 == 0 ? 1.5 : 1)]) }
        let confirmations = Dictionary(uniqueKeysWithValues: zip(cases.map(\.cell.identifier), fresh))
        let findings = judge.findings(of: cases, confirmedBy: confirmations).map { $0[0] }
        let p = try #require(findings[0].p)
        #expect(abs(p - 4 * MannWhitney.smallestP(5, 5)) < 1e-12)
        #expect(findings.map(\.verdict) == [.inconclusive, .unchanged, .unchanged, .unchanged])
        #expect(findings.map(\.isConfirmed) == [true, true, false, false])
        let one = judge.findings(of: [cases[0]], confirmedBy: confirmations)[0][0]
        #expect(one.verdict == .regressed && one.isConfirmed, "where nothing else is looked at five fresh trials do")
    }

    @Test func figuresMissingFromFreshTrialsAreReported() {
        let suspect = values(12, times: [(metrics[0], 1.5), (metrics[1], 1.5)])
        let fresh = values(30, times: [(metrics[1], 1.5)])
        let findings = judge.findings(of: [suspect], confirmedBy: [suspect.cell.identifier: fresh])[0]
        #expect(findings.map(\.verdict) == [.inconclusive, .regressed])
        #expect(findings[0].reason.contains("confirming trials") && findings[0].effect != nil)
        let unmeasured = judge.findings(of: [suspect], confirmedBy: [:])[0]
        #expect(unmeasured.allSatisfy { $0.verdict == .inconclusive && !$0.reason.isEmpty })
    }

    @Test(arguments: [0.0, -1])
    func aWholeOfNothingIsSaidInWords(whole: Double) {
        let nothing = values(12, whole: whole, times: [(metrics[0], 1.5)])
        for findings in [judge.findings(ofStored: [nothing]), judge.findings(of: [nothing], confirmedBy: [:])] {
            #expect(findings[0][0].verdict == .inconclusive)
            #expect(findings[0][0].reason.contains(" \(Int(whole))") && !findings[0][0].reason.contains("noScale"))
        }
    }
}

/// From where drift is counted: from what was accepted last, whichever way it went.
@Suite struct BaselineAnchorTests {
    private static let cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
    private static let metric = Metric.netPeakGrowth.name

    @Test func anAcceptedStepIsNoDriftAfterwards() throws {
        let accepted = Baseline(of: try run(36), after: Baseline(of: try run(25), after: nil))
        #expect(try accepted.anchor == Baseline(of: run(36), after: nil).anchor)
        #expect(try verdicts(of: run(36), against: accepted) == [.unchanged, .unchanged, .unchanged, .unchanged])
    }

    @Test func anAcceptedImprovementMovesTheAnchorDown() throws {
        let accepted = Baseline(of: try run(25), after: Baseline(of: try run(36), after: nil))
        #expect(try accepted.anchor == Baseline(of: run(25), after: nil).anchor)
        // From there it grows back in steps too small to count.
        let once = Baseline(of: try run(25.6), after: accepted)
        let twice = Baseline(of: try run(26.2), after: once)
        #expect(once.anchor == accepted.anchor && twice.anchor == accepted.anchor)
        #expect(try verdicts(of: run(26.2), against: twice).contains(.regressed))
    }

    @Test func improvementsInSmallStepsAreAcceptedToo() throws {
        let first = Baseline(of: try run(27), after: nil)
        let once = Baseline(of: try run(26.4), after: first)
        #expect(once.anchor == first.anchor)
        let twice = Baseline(of: try run(25.8), after: once)
        #expect(try twice.anchor == Baseline(of: run(25.8), after: nil).anchor)
    }

    @Test func smallStepsUpwardsAddUpUntilTheyAreAccepted() throws {
        var baseline = Baseline(of: try run(25), after: nil)
        let anchor = baseline.anchor
        for size in [25.5, 26, 26.5] { baseline = Baseline(of: try run(size), after: baseline) }
        #expect(baseline.anchor == anchor)
        #expect(try verdicts(of: run(26.5), against: baseline).contains(.regressed))
        let accepted = try Baseline(of: run(26.5), after: nil)
        #expect(try verdicts(of: run(26.5), against: accepted).allSatisfy { $0 == .unchanged })
    }

    @Test func aNewFigureBeginsAtItselfAndADroppedOneIsMissing() throws {
        var older = Baseline(of: try run(25), after: nil)
        older.cases[Self.cell.identifier]?[Self.metric] = nil
        #expect(try Baseline(of: run(25.5), after: older).anchor == Baseline(of: run(25.5), after: nil).anchor)
        let other = try #require(older.cases[Self.cell.identifier]?["peak_anonymous_growth_bytes"]).anchor
        let kept = Baseline(of: try run(25.5), after: older).cases[Self.cell.identifier]?["peak_anonymous_growth_bytes"]
        #expect(kept?.anchor == other)
        #expect(try verdicts(of: run(25), against: older).count { $0 == .missing } == 0)
        older.cases[Self.cell.identifier]?["dropped_bytes"] = kept
        #expect(try verdicts(of: run(25), against: older).count { $0 == .missing } == 1)
    }

    private func verdicts(of run: RunRecord, against baseline: Baseline) -> [Finding.Verdict] {
        BaselineComparison(baseline: baseline, run: run, allowsMismatch: false, judge: .ofStoredBaseline(run))
            .findingsWithoutSuspects.map(\.verdict)
    }

    /// A run of twelve trials that peak at so many MiB, some pages off each other.
    private func run(_ mebibytes: Double) throws -> RunRecord {
        var run = try SyntheticRun.complete()
        run.plan.cases = [Self.cell]
        run.trials = try (1...12).map { number in
            var synthetic = SyntheticTrial(number: number)
            synthetic.peaks[.fetch] = ByteCount(Int(mebibytes * 1_048_576) + number % 3 * 4096)
            return try synthetic.trial()
        }
        return run
    }
}

extension Baseline {
    fileprivate var anchor: Double? { cases["hero/data/none/glibc"]?[Metric.netPeakGrowth.name]?.anchor }
}

/// The advice of a calibration names only flags that its case takes.
@Suite struct CalibratorTests {
    private func advice(for cell: Case, detectable: Double) -> String? {
        Calibrator.advice(for: cell, variation: 0.05, detectable: detectable, wanted: 0.02)
    }

    @Test func onlyAFetchIsAdvisedToPaceTheOrigin() throws {
        let fetch = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
        let (fetched, plain) = (
            advice(for: fetch, detectable: 0.04), advice(for: .plain("sort", on: .glibc), detectable: 0.04)
        )
        #expect(try #require(fetched).contains("--rate"))
        #expect(try #require(plain).contains("--allocator"))
        #expect(plain?.contains("--rate") == false)
    }

    @Test func detectableChangesNeedNoFurtherTrials() {
        #expect(advice(for: .plain("sort", on: .glibc), detectable: 0.01) == nil)
    }
}
