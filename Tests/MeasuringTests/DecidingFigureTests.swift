// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Reports
import Runs
import Statistics
import Testing
import TrialKit

/// What decides a scenario is judged beside the memory: 64 B a request are far too little to be seen in a peak.
struct DecidingFigureTests {
    @Test(arguments: [(0, Finding.Verdict.unchanged), (64, .regressed)])
    func aLeakIsARegression(bytes: Int, verdict: Finding.Verdict) throws {
        let (base, head) = (try leaking(0), try leaking(bytes))
        let findings = findings(of: head, against: base)
        let leak = try #require(findings.first { $0.metric == "allocated_slope_bytes" })
        #expect(leak.verdict == verdict && leak.part == .scenario)
        #expect(abs((leak.change ?? -1) - Double(bytes)) < 1)
        #expect(findings.filter { $0.part != .scenario }.allSatisfy { $0.verdict == .unchanged })
        #expect(findings.count == 4)
    }

    @Test func oneThatIsGoneIsAnImprovement() throws {
        let findings = try findings(of: leaking(0), against: leaking(64))
        #expect(findings.first { $0.part == .scenario }?.verdict == .improved)
    }

    @Test func whatTheTrialsCannotSeeIsNoAcquittal() throws {
        let noisy = try run("repeat") { number in
            ScenarioReading(series: Self.series { 3_000_000 + [0, 400, 900][number % 3] * $0 })
        }
        let leak = try #require(findings(of: noisy, against: noisy).first { $0.part == .scenario })
        #expect(leak.verdict == .inconclusive)
    }

    @Test(arguments: [("resume", "refetched_bytes", 2e6), ("coalesce", "scenario_requests", 12)])
    func aControlsFigureIsARegression(scenario: String, metric: String, value: Double) throws {
        let base = try run(scenario) { _ in ScenarioReading(figures: [metric: metric == "refetched_bytes" ? 0 : 1]) }
        let head = try run(scenario) { _ in ScenarioReading(figures: [metric: value]) }
        #expect(findings(of: head, against: base).first { $0.metric == metric }?.verdict == .regressed)
        #expect(findings(of: base, against: base).first { $0.metric == metric }?.verdict == .unchanged)
    }

    /// A figure that is gone is no acquittal, and one that is new waits for a baseline that has it.
    @Test func aFigureThatOneSideLacksIsMissing() throws {
        let all = ["scenario_requests": 1.0, "scenario_decodes": 1]
        let whole = try run("coalesce") { _ in ScenarioReading(figures: all) }
        let part = try run("coalesce") { ScenarioReading(figures: $0 == 7 ? ["scenario_decodes": 1] : all) }
        for findings in [findings(of: part, against: whole), findings(of: whole, against: part)] {
            let missing = try #require(findings.first { $0.metric == "scenario_requests" })
            #expect(missing.verdict == .missing && !missing.reason.isEmpty)
            #expect(findings.count { $0.verdict == .missing } == 1)
        }
        #expect(findings(of: part, against: part).allSatisfy { $0.verdict != .missing }, "neither side has it")
    }

    /// The figure of one scenario means something else, or nothing, in another.
    @Test func aFigureIsJudgedOnlyWhereItDecides() throws {
        let run = try run("gallery") { _ in
            ScenarioReading(figures: ["scenario_requests": 40, "gallery_wrong_pictures": 0])
        }
        let metrics = findings(of: run, against: run).filter { $0.part == .scenario }.map(\.metric)
        #expect(metrics.contains("gallery_wrong_pictures") && !metrics.contains("scenario_requests"))
    }

    @Test(arguments: [(0, "flat"), (1, "undecided: leaks in 1 of 2 trials"), (2, "leaks 64 B a request")])
    func halfOfTheTrialsDecideNothing(leaking: Int, words: String) throws {
        var run = try run("repeat") { number in
            ScenarioReading(series: Self.series { 3_000_000 + (number <= leaking ? 64 : 0) * $0 })
        }
        run.trials = Array(run.trials.prefix(2))
        #expect(Headline(Report(run)).text.hasPrefix("Scenario repeat ("))
        #expect(Headline(Report(run)).text.hasSuffix("data: \(words)."))
        #expect(
            !(try Formats.runMarkdown.text(of: Report(run))).contains("peak growth over"),
            "one asset is no measure of it")
    }

    @Test func whatATrialRemarksStandsInTheReportOnce() throws {
        let run = try run("proxy") { _ in ScenarioReading(remarks: ["a body is passed on *whole*"]) }
        let text = try Formats.runMarkdown.text(of: Report(run))
        #expect(text.split(separator: "\n").count { $0 == #"- data: a body is passed on \*whole\*"# } == 1)
        #expect((try Formats.runTable.text(of: Report(run))).contains("\ndata: a body is passed on *whole*\n"))
    }

    @Test func aRemarkOnAVariantNamesIt() throws {
        let run = try run("proxy:server:50") { _ in ScenarioReading(remarks: ["nothing is fetched"]) }
        #expect(
            (try Formats.runMarkdown.text(of: Report(run))).contains("- data (proxy:server:50): nothing is fetched"))
    }

    private static func series(_ allocated: (Int) -> Int) -> [String: [Int]] {
        let numbers = 0..<200
        return [
            "resident_bytes": numbers.map { _ in 20_000_000 }, "anonymous_bytes": numbers.map { _ in 8_000_000 },
            "allocated_bytes": numbers.map(allocated),
        ]
    }

    /// Trials whose requests leave so many bytes, and some noise.
    private func leaking(_ bytes: Int) throws -> RunRecord {
        try run("repeat") { number in
            ScenarioReading(series: Self.series { 3_000_000 + bytes * $0 + ($0 * number % 7 == 0 ? 65_536 : 0) })
        }
    }

    /// A run of twelve trials of one case that plays a scenario.
    private func run(_ scenario: String, _ reading: (Int) -> ScenarioReading) throws -> RunRecord {
        var cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
        cell.conditions.scenario = try #require(ScenarioChoice(scenario))
        var run = try SyntheticRun.complete()
        run.scenarios = OurFigures.scenarios
        run.plan.cases = [cell]
        run.trials = try (1...12).map { number in
            var trial = try SyntheticTrial(number: number, cell: cell).trial()
            trial.report?.scenario = reading(number)
            return trial
        }
        return run
    }

    private func findings(of run: RunRecord, against base: RunRecord) -> [Finding] {
        BaselineComparison(
            baseline: Baseline(of: base, after: nil), run: run, allowsMismatch: false,
            judge: CaseJudge(rule: .storedBaseline, seed: 1, noise: NoiseFloors())
        ).findings(confirmedBy: nil)
    }
}
