// SPDX-License-Identifier: Apache-2.0

import Runs
import Testing
import TrialKit

@Suite("What the figures of loading say")
struct LoadingVerdictTests {
    private let gallery = [
        "gallery_running": 0.0, "gallery_wrong_pictures": 0, "gallery_stale": 0, "gallery_late": 5,
        "gallery_reuses": 100, "gallery_failures": 0, "gallery_undecoded": 0, "gallery_fallbacks": 6,
        "scenario_most_decodes": 2,
        "gallery_bitmaps_bytes": 15e6, "gallery_visible_bytes": 8e6,
    ]

    @Test(
        "of a list names each fault by its figure",
        arguments: [
            ("gallery_stale", 1.0, "loads for cells that are gone"),
            ("gallery_late", 6, "loads for cells that are gone"),
            ("gallery_running", 1.0, "requests run on after the stop"),
            ("gallery_wrong_pictures", 1, "shows wrong pictures"),
            ("gallery_failures", 1, "fetches failed"),
            ("gallery_undecoded", 1, "shows fallbacks for pictures"),
            ("scenario_most_decodes", 7, "no limit of decodes"),
            ("gallery_bitmaps_bytes", 33e6, "bitmaps of many times what is visible"),
        ])
    func faults(name: String, value: Double, words: String) {
        #expect(LoadingVerdict.gallery(gallery).isNone)
        var figures = gallery
        figures[name] = value
        #expect(LoadingVerdict.gallery(figures).found == [words] && LoadingVerdict.gallery(figures).unknown.isEmpty)
    }

    @Test("of a list's peak takes off one decode and the pieces, whatever else was decoded beside it")
    func peak() throws {
        // It rises by 25 MiB.
        var trial = try SyntheticTrial().trial()
        for inFlight in [12.0, 40] {
            let figures = [
                "gallery_visible_bytes": 10.0, "gallery_must_hold_bytes": 12, "gallery_pieces_bytes": 0.5,
                "gallery_in_flight_bytes": inFlight,
            ].mapValues { $0 * 1024 * 1024 }
            trial.report?.scenario = ScenarioReading(figures: figures)
            let ratio = try #require(Metric.galleryPeak.value(trial))
            #expect(abs(ratio - 1.25) < 0.01)
        }
    }

    @Test("of a cache knows one picture more than the limit from a limit that is none")
    func cache() {
        let limit = ["cache_limit_bytes": 100.0, "cache_largest_picture_bytes": 10, "cache_requests_for_one": 1]
        func faults(_ figures: [String: Double]) -> [String] { LoadingVerdict.cache(figures).found }
        #expect(LoadingVerdict.cache(limit.merging(["cache_held_bytes": 110]) { $1 }).isNone)
        #expect(faults(limit.merging(["cache_held_bytes": 111]) { $1 }) == ["holds more than its limit"])
        #expect(
            faults(["cache_requests_for_one": 12, "cache_held_bytes": 1e9]) == [
                "no limit of memory", "a request for each who asks",
            ])
        // A policy without a memory cache holds nothing that could have a limit.
        #expect(LoadingVerdict.cache(["cache_requests_for_one": 1]).isNone)
        #expect(faults(["cache_file_hit_copies_ratio": LoadingVerdict.mappedHit]).isEmpty)
        #expect(faults(["cache_file_hit_copies_ratio": 0.03]) == ["file hits are copied"])
    }

    @Test("acquits of nothing that a figure would have to tell")
    func missingFigures() throws {
        for name in gallery.keys where name != "gallery_fallbacks" {
            var figures = gallery
            figures[name] = nil
            #expect(LoadingVerdict.gallery(figures).unknown == [name] && !LoadingVerdict.gallery(figures).isNone)
        }
        let cache = [
            "cache_requests_for_one": 1.0, "cache_held_bytes": 1, "cache_limit_bytes": 9, "cache_files_bytes": 5,
        ]
        let missing = ["cache_largest_picture_bytes", "cache_file_hit_copies_ratio"]
        #expect(LoadingVerdict.cache(cache).unknown == missing)
        #expect(LoadingVerdict.cache([:]).unknown == ["cache_requests_for_one"])
        #expect(
            LoadingVerdict.coalesce([:]).unknown == ["scenario_requests", "scenario_decodes", "coalesce_pictures"])
        var trial = try SyntheticTrial().trial()
        trial.report?.scenario = ScenarioReading(figures: gallery, remarks: ["policy"])
        #expect(LoadingVerdict.words(of: [trial], LoadingVerdict.gallery) == "policy: nothing wrong")
        trial.report?.scenario?.figures["gallery_failures"] = nil
        let words = try #require(LoadingVerdict.words(of: [trial, trial], LoadingVerdict.gallery))
        #expect(words.contains("gallery_failures") && !words.contains("nothing wrong"))
    }

    @Test("of one picture for many wants one request, one decode and eleven pictures")
    func coalesce() {
        let right = ["scenario_requests": 1.0, "scenario_decodes": 1, "coalesce_pictures": 11]
        #expect(LoadingVerdict.coalesce(right).isNone)
        #expect(
            LoadingVerdict.coalesce(["scenario_requests": 12, "scenario_decodes": 11, "coalesce_pictures": 11])
                .found.count == 2)
        #expect(
            LoadingVerdict.coalesce(right.merging(["coalesce_pictures": 12]) { $1 }).found == [
                "not a picture for each who stayed"
            ])
    }
}
