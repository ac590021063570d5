// SPDX-License-Identifier: Apache-2.0

import Glibc
import Judging
import Measuring
import Reports
import Runs
import Scenarios
import Testing

struct ScenarioVerdictTests {
    private let gallery = [
        "gallery_running": 0.0, "gallery_wrong_pictures": 0, "gallery_stale": 0, "gallery_late": 5,
        "gallery_reuses": 100, "gallery_failures": 0, "gallery_undecoded": 0, "gallery_fallbacks": 6,
        "scenario_most_decodes": 2, "gallery_bitmaps_bytes": 15e6, "gallery_visible_bytes": 8e6,
        "gallery_ran_on": 15, "scenario_requests": 100, "gallery_unshown_bytes": 50e6, "gallery_fetched_bytes": 100e6,
    ]

    private func words(_ name: String, _ readings: [ScenarioReading]) throws -> String? {
        let trials = try readings.map { reading in
            var trial = try SyntheticTrial().trial()
            trial.cell.conditions.scenario.name = name
            trial.report?.scenario = reading
            return trial
        }
        return ScenarioVerdict(try #require(OurFigures.scenario(name))).words(of: trials)
    }

    private func words(ofGallery figures: [String: Double]) throws -> String? {
        try words(
            "gallery",
            [
                ScenarioReading(
                    figures: figures, remarks: ["policy"], conclusions: GalleryScenario.conclusions(of: figures))
            ])
    }

    @Test(arguments: [
        ("gallery_stale", 1.0, "loads for cells that are gone"),
        ("gallery_late", 6, "loads for cells that are gone"),
        ("gallery_running", 1.0, "requests run on after the stop"),
        ("gallery_wrong_pictures", 1, "shows wrong pictures"),
        ("gallery_failures", 1, "fetches failed"),
        ("gallery_ran_on", 16, "cancelled requests run on"),
        ("gallery_undecoded", 1, "shows fallbacks for pictures"),
        ("scenario_most_decodes", 7, "no limit of decodes"),
        ("gallery_bitmaps_bytes", 33e6, "bitmaps of many times the visible size"),
    ])
    func aListsFaultIsNamedByItsFigure(name: String, value: Double, fault: String) throws {
        #expect(try words(ofGallery: gallery) == "nothing wrong")
        var figures = gallery
        figures[name] = value
        #expect(try words(ofGallery: figures) == fault)
    }

    /// On a busy machine a picture may come in time, and not be decoded in time.
    @Test func unshownPicturesAreHeldAgainstALoaderThatGoesOn() throws {
        var figures = gallery
        figures["gallery_unshown_bytes"] = 51e6
        #expect(try words(ofGallery: figures) == "nothing wrong")
        figures["gallery_ran_on"] = 16
        #expect(try words(ofGallery: figures)?.hasSuffix("fetches mostly what is never shown") == true)
    }

    @Test(arguments: ["gallery_running", "gallery_wrong_pictures", "gallery_failures", "scenario_most_decodes"])
    func aMissingFigureAcquitsNoCase(name: String) throws {
        var figures = gallery
        figures[name] = nil
        #expect(try words(ofGallery: figures) == "missing figure: " + name)
    }

    /// It rises by 25 MiB.
    @Test(arguments: [12.0, 40]) func aListsPeakIsWithoutOneDecodeAndThePieces(inFlight: Double) throws {
        var trial = try SyntheticTrial().trial()
        trial.cell.conditions.scenario.name = "gallery"
        let figures = [
            "gallery_visible_bytes": 10.0, "gallery_must_hold_bytes": 12, "gallery_pieces_bytes": 0.5,
            "gallery_in_flight_bytes": inFlight,
        ].mapValues { $0 * 1024 * 1024 }
        trial.report?.scenario = ScenarioReading(figures: figures)
        let ratio = try #require(OurFigures.metrics["gallery_peak_ratio"]?.value(trial))
        #expect(abs(ratio - 1.25) < 0.01)
        trial.report?.scenario?.figures["gallery_pieces_bytes"] = nil
        #expect(OurFigures.metrics["gallery_peak_ratio"]?.value(trial) == nil)
    }

    @Test(
        arguments: [
            (["cache_held_bytes": 110.0, "cache_limit_bytes": 100, "cache_largest_picture_bytes": 10], []),
            (
                ["cache_held_bytes": 111, "cache_limit_bytes": 100, "cache_largest_picture_bytes": 10],
                ["more than its limit"]
            ),
            (["cache_held_bytes": 1e9], ["no limit of memory"]),
            (["cache_file_hit_copies_ratio": 0.02], []),
            (["cache_file_hit_copies_ratio": 0.03], ["file hits are copied"]),
            (["cache_files_bytes": 5], ["missing figure: cache_file_hit_copies_ratio"]),
        ] as [([String: Double], [String])])
    func ofACacheOnlyWhatItHasIsJudged(figures: [String: Double], faults: [String]) {
        let found = CacheScenario.conclusions(of: figures)
        #expect(found.count == faults.count && zip(found, faults).allSatisfy { $0.hasSuffix($1) }, "\(found)")
    }

    @Test func propertiesOfMostTrialsAreReported() throws {
        let (right, wrong) = (
            ["scenario_requests": 1.0, "scenario_decodes": 1, "coalesce_pictures": 11],
            ["scenario_requests": 12.0, "scenario_decodes": 1, "coalesce_pictures": 12]
        )
        let readings = [right, wrong, wrong].map { ScenarioReading(figures: $0, remarks: ["p"]) }
        let both = "a request for each caller, missing pictures for callers that stayed"
        #expect(try words("coalesce", readings) == both)
        #expect(try words("coalesce", [readings[0], readings[0], readings[1]]) == "nothing wrong")
    }

    /// Where a scenario loads no pictures, no remark is a title.
    @Test func aProgramsOwnConclusionStandsAlone() throws {
        let reading = ScenarioReading(remarks: ["a remark"], conclusions: ["goes on where it ended"])
        #expect(try words("resume", [reading]) == "goes on where it ended")
        #expect(try words("resume", [ScenarioReading()]) == nil)
    }

    @Test func aQuotientIsOfWhatIsAskedAndOfWhatWasMeasured() throws {
        var trial = try SyntheticTrial().trial()
        trial.cell.conditions.scenario.name = "held"
        trial.report?.scenario = ScenarioReading(figures: ["readers": 50])
        let size = try #require(trial.assetByteCount)
        let growth = try #require(trial.netPeakGrowth)
        let quotient = FigureQuotient(
            of: "net_peak_growth_bytes", by: ["readers", "asset_bytes"], smallestDivisor: 8 * 1024 * 1024)
        let figure = Metric(FigureDeclaration("held_ratio", .ratio, "held", quotient: quotient), of: ["held"])
        let held = try #require(figure.value(trial))
        #expect(abs(held - Double(growth.rawValue) / (50 * Double(size.rawValue))) < 1e-12)
        trial.report?.scenario?.figures["readers"] = 0.01
        #expect(figure.value(trial) == nil, "too little to divide by")
        #expect(OurFigures.metrics["slots_duration_ns"]?.value(trial) == nil, "a figure of another scenario")
    }
}

/// A scenario's deciding figure is judged besides memory: 64 B per request do not show in a peak.
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

    @Test func undetectableChangesAreNotAcquitted() throws {
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

    @Test(arguments: [(0, "flat"), (1, "undecided: leaks in 1 of 2 trials"), (2, "leaks 640 B a request")])
    func halfOfTheTrialsDecideNothing(leaking: Int, words: String) throws {
        var run = try run("repeat") { number in
            ScenarioReading(series: Self.series { 3_000_000 + (number <= leaking ? 640 : 0) * $0 })
        }
        run.trials = Array(run.trials.prefix(2))
        #expect(Headline(Report(run)).text.hasPrefix("Scenario repeat ("))
        #expect(Headline(Report(run)).text.hasSuffix("data: \(words)."))
        #expect(
            !(try Formats.runMarkdown.text(of: Report(run))).contains("peak growth over"),
            "one asset is no measure of it")
    }

    @Test func remarksOfTrialsAppearOnceInTheReport() throws {
        let run = try run("repeat") { _ in ScenarioReading(remarks: ["a body is passed on *whole*"]) }
        let text = try Formats.runMarkdown.text(of: Report(run))
        #expect(text.split(separator: "\n").count { $0 == #"- data: a body is passed on \*whole\*"# } == 1)
        #expect((try Formats.runTable.text(of: Report(run))).contains("\ndata: a body is passed on *whole*\n"))
    }

    @Test func aRemarkOnAVariantNamesIt() throws {
        let run = try run("repeat:session:50") { _ in ScenarioReading(remarks: ["nothing is fetched"]) }
        #expect(
            (try Formats.runMarkdown.text(of: Report(run))).contains("- data (repeat:session:50): nothing is fetched"))
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

/// The output of `doctor` about the method for peaks of commands.
struct TracingFindingTests {
    private static let refusal = MemProbeError(.unavailable, source: "ptrace", errno: EPERM)

    private static func finding(
        refusal: MemProbeError? = nil, tellsSharedMemory: Bool = true, isFiltered: Bool = false, scope: Int? = nil
    ) -> Diagnosis {
        MachineCheck.finding(
            of: TracingAbility(
                refusal: refusal, tellsSharedMemory: tellsSharedMemory, isFiltered: isFiltered, scope: scope))
    }

    @Test func aContainersProfileLosesNothing() {
        let finding = Self.finding(tellsSharedMemory: false, isFiltered: true)
        #expect(finding.state == .available)
        #expect(finding.remedy == nil)
        #expect(finding.detail.contains("kcmp"))
    }

    @Test(arguments: [2, 3])
    func theScopeIsNamedWhereItRefuses(scope: Int) {
        let finding = Self.finding(refusal: Self.refusal, isFiltered: true, scope: scope)
        #expect(finding.state == .limited)
        #expect(finding.detail.contains("ptrace_scope is \(scope)"))
        #expect(finding.remedy?.contains("ptrace_scope") == true)
    }

    @Test(arguments: [nil, 0, 1])
    func elseTheFilterIs(scope: Int?) {
        let finding = Self.finding(refusal: Self.refusal, isFiltered: true, scope: scope)
        #expect(finding.state == .limited)
        #expect(finding.detail.contains("seccomp"))
        #expect(finding.remedy?.contains("SYS_PTRACE") == true)
    }

    @Test func aChildOfThisProcessIsTriedAndLeavesNothing() {
        let ability = TracingAbility.probe()
        #expect(ability.refusal == nil || ability.refusal?.source == "ptrace")
    }
}
