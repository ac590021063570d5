// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Scenarios
import Testing
import TrialKit

/// What trials that played a scenario come to, by what the scenario declares and by what its program concludes.
struct ScenarioVerdictTests {
    private let gallery = [
        "gallery_running": 0.0, "gallery_wrong_pictures": 0, "gallery_stale": 0, "gallery_late": 5,
        "gallery_reuses": 100, "gallery_failures": 0, "gallery_undecoded": 0, "gallery_fallbacks": 6,
        "scenario_most_decodes": 2, "gallery_bitmaps_bytes": 15e6, "gallery_visible_bytes": 8e6,
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

    @Test(arguments: ["gallery_running", "gallery_wrong_pictures", "gallery_failures", "scenario_most_decodes"])
    func nothingIsAcquittedOfWhatAMissingFigureWouldTell(name: String) throws {
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

    @Test func whatMostTrialsShareIsSaid() throws {
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

    /// The body is that of the synthetic trial, and 50 readers of it are far over 8 MiB.
    @Test func aQuotientIsOfWhatIsAskedAndOfWhatWasMeasured() throws {
        var trial = try SyntheticTrial().trial()
        trial.cell.conditions.scenario.name = "proxy"
        trial.report?.scenario = ScenarioReading(figures: ["readers": 50])
        let size = try #require(trial.assetByteCount)
        let growth = try #require(trial.netPeakGrowth)
        let held = try #require(OurFigures.metrics["held_per_reader_ratio"]?.value(trial))
        #expect(abs(held - Double(growth.rawValue) / (50 * Double(size.rawValue))) < 1e-12)
        trial.report?.scenario?.figures["readers"] = 0.01
        #expect(OurFigures.metrics["held_per_reader_ratio"]?.value(trial) == nil, "too little to divide by")
        #expect(OurFigures.metrics["slots_duration_ns"]?.value(trial) == nil, "a figure of another scenario")
    }
}
