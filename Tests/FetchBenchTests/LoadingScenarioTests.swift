// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The scenarios that load pictures, as the built programs play them against the embedded origin.
    @Suite(.startsBusyCommands) struct LoadingScenarios {
        @Test func aListHoldsWhatIsVisibleUnderAGoodPolicy() async throws {
            let sandbox = try Sandbox("gallery")
            let rows = try await sandbox.rows([
                "--rate", "60MiB", "--asset", "gallery", "--mode", "download", "--scenario", "gallery", "--loader",
                "best,naive",
                // glibc by itself keeps what decoders have freed; what the policy holds is asked here.
                "--allocator", "glibc-pinned",
            ])
            let best = try #require(rows.first { $0["loader"] == "best" })
            let naive = try #require(rows.first { $0["loader"] == "naive" })
            #expect(try best.number("gallery_peak_ratio") <= 1.5)
            #expect(try naive.number("gallery_peak_ratio") > 1.5)
            #expect(
                try naive.number("gallery_peak_of_visible_ratio") > 3 * best.number("gallery_peak_of_visible_ratio"))
            for row in [best, naive] {
                #expect(try row.number("gallery_wrong_pictures") == 0)
                #expect(try row.number("gallery_reuses") > 50)
                // One item of the list is no picture.
                #expect(try row.number("gallery_fallbacks") > 0)
                #expect(try row.number("gallery_failures") == 0)
            }
            #expect(try best.number("gallery_stale") == 0)
            #expect(try naive.number("gallery_late") > 50, "what is under way at the stop depends on the instant")
            #expect(try best.number("scenario_most_decodes") <= 2)
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("bitmaps of many times the visible size"))
            #expect(report.contains("nothing wrong"), "\(report)")
            #expect(report.contains("policy of this project (model)"))
            // Data(contentsOf:) is what it is closest to, and here it transfers by another mode.
            #expect(report.contains("no policy: Data(contentsOf:) a cell (model), by mode download"))
            #expect(report.contains("A loader models"))
            #expect(try sandbox.onlyRun().text(of: "trials.jsonl").contains("after 20 ms row "), "the trace is stored")
        }

        /// Missing cancellation shows only if pictures take longer to load than their cells are visible.
        @Test func aControlIsFlagged() async throws {
            let sandbox = try Sandbox("control")
            _ = try await sandbox.rows([
                "--asset", "gallery", "--mode", "download", "--scenario", "gallery:no-cancel", "--rate", "8MiB",
            ])
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("(model)") && report.contains("loads for cells that are gone"))
        }

        @Test func aCacheAnswersFromEveryLayerAndAFileHitCostsNothingWhereItIsMapped() async throws {
            let sandbox = try Sandbox("cache")
            let rows = try await sandbox.rows([
                "--rate", "60MiB", "--asset", "gallery", "--mode", "download", "--scenario", "cache", "--loader",
                "best,kingfisher", "--allocator", "glibc-pinned",
            ])
            let best = try #require(rows.first { $0["loader"] == "best" })
            let copying = try #require(rows.first { $0["loader"] == "kingfisher" })
            #expect(try best.number("cache_file_hit_copies_ratio") <= 0.02)
            #expect(try abs(copying.number("cache_file_hit_copies_ratio") - 1) <= 0.02)
            // A loader that reads all files to weigh them does so in another process.
            #expect(try best.number("peak_resident_growth_bytes") < best.number("asset_bytes"))
            for row in rows {
                #expect(try row.number("cache_file_hit_ratio") == 1)
                #expect(try row.number("cache_memory_hit_ratio") == 1)
                #expect(try row.number("cache_revalidated_ratio") == 1)
                #expect(try row.number("cache_requests_for_one") == 1)
            }
            #expect(try best.number("cache_held_ratio") <= 1.01)
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("nothing wrong") && report.contains("policy of this project (model)"))
            let lines = report.split(separator: "\n")
            #expect(lines.contains { $0.contains("kingfisher") && $0.contains("| file hits are copied |") })
            #expect(report.contains("kingfisher: policy of Kingfisher (model), by mode download"))
        }

        @Test func twelveCellsShareOneRequestAndOneDecode() async throws {
            let sandbox = try Sandbox("coalesce")
            let rows = try await sandbox.rows([
                "--rate", "60MiB", "--asset", "hero", "--mode", "download", "--scenario", "coalesce,coalesce:off",
                "--loader", "best",
            ])
            let shared = try #require(rows.first { $0["scenario"] == "coalesce" })
            #expect(try shared.number("scenario_requests") == 1)
            #expect(try shared.number("scenario_decodes") == 1)
            #expect(try shared.number("coalesce_pictures") == 11)
            #expect(shared["body_bytes"]?.isEmpty == false)
            let alone = try #require(rows.first { $0["scenario"] == "coalesce:off" })
            #expect(try alone.number("scenario_requests") == 12)
            #expect(try alone.number("coalesce_bitmaps_ratio") >= 11)
            #expect(try sandbox.onlyRun().text(of: "report.md").contains("a request for each caller"))
        }
    }
}
