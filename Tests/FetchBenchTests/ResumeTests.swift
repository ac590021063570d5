// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// Downloads whose process is killed, as the built programs play them against the embedded origin.
    @Suite struct Resuming {
        private static let size = 1_048_576.0

        private func rows(_ sandbox: Sandbox, _ arguments: String...) async throws -> [[String: String]] {
            let ended = try await sandbox.fetchbench(
                ["--render", "none", "--rate", "unlimited", "--asset", "1MiB", "--quiet"] + arguments)
            #expect(ended.status == 0, "\(ended.complaint)")
            return try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
        }

        @Test(arguments: ["stream", "ahc-stream", "raw", "curl-stream", "nio-stream"])
        func aKilledDownloadFetchesNothingTwice(mode: String) async throws {
            let sandbox = try Sandbox("resume")
            let rows = try await rows(
                sandbox, "--mode", mode, "--scenario", "resume,resume:at-90,resume:pause", "--trials", "2")
            #expect(rows.count == 6)
            for row in rows {
                #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
                #expect(try row.number("body_bytes") == Self.size)
                #expect(row["body_sha256"]?.count == 64)
                #expect(try row.number("refetched_bytes") <= 65_536)
                #expect(try row.number("scenario_requests") == 2)
                #expect((row["paused_held_bytes"]?.isEmpty == false) == (row["scenario"] == "resume:pause"))
            }
            let run = try sandbox.onlyRun().text(of: "run.json")
            #expect(run.contains("killed after ") && run.contains("of 1048576 bytes"), "the places are stored")
        }

        @Test func whatCannotBeGoneOnWithIsFetchedWhole() async throws {
            let sandbox = try Sandbox("anew")
            let rows = try await rows(
                sandbox, "--mode", "stream,raw", "--scenario", "resume:changed,resume:no-ranges,resume:memory",
                "--trials", "1")
            #expect(rows.count == 6)
            for row in rows {
                #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
                #expect(try row.number("refetched_bytes") == Self.size / 2)
                #expect(try row.number("refetched_ratio") == 0.5)
            }
            #expect(try sandbox.onlyRun().text(of: "report.md").contains("## Scenario resume"))
        }

        @Test func stateInMemoryOnlyIsFlagged() async throws {
            let sandbox = try Sandbox("forgetful")
            try sandbox.write(
                """
                assets: [1MiB]
                modes: [raw]
                renders: [none]
                trials: 1
                rate: unlimited
                scenarios: ["resume:at-50", "resume:memory"]
                budgets: ["*/raw/*: refetched <= 64 KiB"]

                """, to: "forgetful.yml")
            let ended = try await sandbox.fetchbench("check", "--suite", "forgetful.yml", "--no-baseline", "--quiet")
            #expect(ended.status == 1, "\(ended.complaint)")
            #expect(ended.output.contains("1 over budget, 1 unchanged"), "\(ended.output)")
        }

        @Test func aModeWithoutRangesSaysWhy() async throws {
            let sandbox = try Sandbox("refused")
            let ended = try await sandbox.fetchbench(
                "--mode", "download", "--render", "none", "--asset", "1MiB", "--scenario", "resume")
            #expect(ended.status == 64)
            #expect(ended.complaint.contains("URLSession makes no resume data on Linux"), "\(ended.complaint)")
        }
    }

    /// Many assets through a limited number of slots.
    @Suite struct SlotScenario {
        @Test func noMoreGoesOnAtOnceThanThereAreSlots() async throws {
            let sandbox = try Sandbox("slots")
            let ended = try await sandbox.fetchbench(
                "--mode", "data,ahc-collect", "--render", "none", "--asset", "256KiB", "--rate", "60MiB", "--trials",
                "1", "--scenario", "concurrency:1x1,concurrency:5x2,concurrency:unlimited", "--quiet")
            #expect(ended.status == 0, "\(ended.complaint)")
            let rows = try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.count == 6)
            let limits = [
                "concurrency:1x1": (1.0, 1.0), "concurrency:5x2": (5.0, 2.0), "concurrency:unlimited": (20.0, 20.0),
            ]
            for row in rows {
                let (downloads, decodes) = try #require(limits[row["scenario"] ?? ""])
                #expect(try row.number("download_slots_ratio") == downloads)
                // As many downloads as may be: there is always another one that waits.
                #expect(try row.number("most_downloads_ratio") == downloads)
                #expect(try (1...decodes).contains(row.number("most_decodes_ratio")))
                #expect(try row.number("scenario_requests") == 20)
                #expect(row["body_bytes"] == "262144")
                #expect(row["peak_per_slot_bytes"]?.isEmpty == false && row["slots_duration_ns"]?.isEmpty == false)
            }
        }

        @Test func aLimitOfDecodesIsALimitOfBitmaps() async throws {
            let sandbox = try Sandbox("decodes")
            try sandbox.write(
                """
                assets: [hero]
                modes: [download]
                renders: [imageview]
                trials: 1
                rate: unlimited
                scenarios: ["concurrency:2x1:6", "concurrency:unlimited:6"]
                budgets: ["*/download/*: peak <= 150 MiB"]

                """, to: "decodes.yml")
            let ended = try await sandbox.fetchbench("check", "--suite", "decodes.yml", "--no-baseline", "--quiet")
            #expect(ended.status == 1, "\(ended.complaint)")
            #expect(ended.output.contains("1 over budget, 1 unchanged"), "\(ended.output)")
        }
    }
}
