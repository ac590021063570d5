// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// How pictures are shown: while they arrive, at once, in another view.
    @Suite struct Pictures {
        private static let mebibyte = 1_048_576.0

        private func rows(_ sandbox: Sandbox, _ arguments: [String]) async throws -> [CSVTable.Row] {
            let ended = try await sandbox.fetchbench(["run", "--asset", "hero", "--trials", "1"] + arguments)
            #expect(ended.status == 0, "\(ended.complaint)")
            return try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
        }

        @Test(arguments: ["raw", "download"])
        func aStreamedThumbnailCostsThePixelsOfItsView(mode: String) async throws {
            let sandbox = try Sandbox("stream-thumbnail")
            let rows = try await rows(
                sandbox, ["--mode", "\(mode),data", "--render", "stream-thumbnail", "--view", "195x130@2"])
            #expect(rows.map { $0["mode"] } == [mode])
            let row = try #require(rows.first)
            #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
            #expect(row["body_sha256"]?.count == 64)
            // What URLSession holds on the way to its file is as much as without a picture.
            let way = mode == "raw" ? Self.mebibyte : 4 * Self.mebibyte
            #expect(try row.number("peak_anonymous_growth_bytes") <= 4 * 390 * 260 + way)
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("a view of 390x260 pixels"))
            #expect(report.contains("--view 390x260"), "the command that measures it again")
            #expect(report.contains("mode data holds the body in memory"), "data cannot")
        }

        @Test(arguments: ["imageview", "thumbnail"])
        func whatIsShownAtOnceIsDecodedInTheFetchAndVerifiedAllTheSame(model: String) async throws {
            let sandbox = try Sandbox("at-once")
            let rows = try await rows(
                sandbox, ["--mode", "data,download", "--render", model, "--display", "verified,at-once"])
            #expect(rows.count == 4)
            for row in rows {
                #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
                #expect(row["body_sha256"]?.count == 64, "a body that was let go of is verified, too")
                #expect(
                    (try row.number("render_cpu_ns") < 20e6) == (row["display"] == "at-once"),
                    "decoding takes over 50 ms of CPU")
            }
        }

        @Test(arguments: [
            (["--view", "wide"], "invalid --view 'wide'"),
            (["--view", "0x10"], "invalid --view '0x10' (0×10 pixels)"),
            (
                ["--mode", "data", "--render", "none", "--display", "at-once"],
                "does not show pictures"
            ),
            (["--mode", "data", "--render", "stream-thumbnail"], "holds the body in memory"),
        ])
        func whatCannotBeShownIsRefusedWithItsReason(words: [String], reason: String) async throws {
            let sandbox = try Sandbox("refused-picture")
            let ended = try await sandbox.fetchbench(["run"] + words)
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(reason), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }
    }
}
