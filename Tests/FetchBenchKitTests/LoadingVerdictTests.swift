// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Testing

@Suite("What the figures of loading say")
struct LoadingVerdictTests {
    private let gallery = [
        "gallery_running": 0.0, "gallery_wrong_pictures": 0, "gallery_stale": 0, "gallery_late": 5,
        "gallery_reuses": 100, "scenario_most_decodes": 2,
        "gallery_bitmaps_bytes": 15e6, "gallery_visible_bytes": 8e6,
    ]

    @Test(
        "of a list names each fault by its figure",
        arguments: [
            ("gallery_stale", 1.0, "loads for cells that are gone"),
            ("gallery_late", 6, "loads for cells that are gone"),
            ("gallery_running", 1.0, "requests run on after the stop"),
            ("gallery_wrong_pictures", 1, "shows wrong pictures"),
            ("scenario_most_decodes", 7, "no limit of decodes"),
            ("gallery_bitmaps_bytes", 33e6, "bitmaps of many times what is visible"),
        ])
    func faults(name: String, value: Double, words: String) {
        #expect(LoadingVerdict.gallery(gallery).isEmpty)
        var figures = gallery
        figures[name] = value
        #expect(LoadingVerdict.gallery(figures) == [words])
    }

    @Test("of a cache knows one picture more than the limit from a limit that is none")
    func cache() {
        let limit = ["cache_limit_bytes": 100.0, "cache_largest_picture_bytes": 10, "cache_requests_for_one": 1]
        #expect(LoadingVerdict.cache(limit.merging(["cache_held_bytes": 110]) { $1 }).isEmpty)
        #expect(LoadingVerdict.cache(limit.merging(["cache_held_bytes": 111]) { $1 }) == ["holds more than its limit"])
        #expect(
            LoadingVerdict.cache(["cache_requests_for_one": 12, "cache_held_bytes": 1e9]) == [
                "a request for each who asks"
            ])
    }

    @Test("of one picture for many wants one request, one decode and eleven pictures")
    func coalesce() {
        let right = ["scenario_requests": 1.0, "scenario_decodes": 1, "coalesce_pictures": 11]
        #expect(LoadingVerdict.coalesce(right).isEmpty)
        #expect(
            LoadingVerdict.coalesce(["scenario_requests": 12, "scenario_decodes": 11, "coalesce_pictures": 11]).count
                == 2)
        #expect(
            LoadingVerdict.coalesce(right.merging(["coalesce_pictures": 12]) { $1 }) == [
                "not a picture for each who stayed"
            ])
    }
}
