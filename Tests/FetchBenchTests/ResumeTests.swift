// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// Downloads whose process is killed, as the built programs play them against the embedded origin.
    @Suite struct Resuming {
        private static let size = 1_048_576.0

        @Test(.startsCommandsAlone) func aKilledDownloadFetchesNothingTwice() async throws {
            let sandbox = try Sandbox("resume")
            let rows = try await sandbox.rows([
                "--asset", "1MiB", "--mode", "stream,ahc-stream,raw,curl-stream,nio-stream", "--scenario",
                "resume,resume:at-90,resume:pause", "--trials", "1",
            ])
            #expect(rows.count == 15)
            for row in rows {
                #expect(try row.number("body_bytes") == Self.size)
                #expect(row["body_sha256"]?.count == 64)
                #expect(
                    try row.number("refetched_bytes") <= 262_144, "received, and not yet written when it was killed")
                #expect(try row.number("refetched_bytes") >= 0)
                #expect(try row.number("scenario_requests") == 2)
                #expect((row["paused_held_bytes"]?.isEmpty == false) == (row["scenario"] == "resume:pause"))
            }
            let log = try sandbox.onlyRun().text(of: "trials.jsonl")
            #expect(log.contains("killed after ") && log.contains("of 1048576 bytes"), "the places are stored")
        }

        @Test func bodiesThatCannotBeResumedAreFetchedWhole() async throws {
            // The cut is at what the origin has sent: a process that gets no turn has not read all of it.
            var report = ""
            let rows = try await undisturbed { _ in
                let sandbox = try Sandbox("anew")
                let played = try await sandbox.rows([
                    "--asset", "1MiB", "--mode", "stream,raw", "--scenario",
                    "resume:changed,resume:no-ranges,resume:memory", "--trials", "1",
                ])
                report = try sandbox.onlyRun().text(of: "report.md")
                return played
            } if: { (rows: [[String: String]]) in
                try rows.allSatisfy { try $0.number("refetched_bytes") >= Self.size / 2 }
            }
            #expect(rows.count == 6)
            for row in rows {
                // All that had arrived, which is what the cut is at and what came while it was made.
                let twice = try row.number("refetched_bytes")
                #expect(try twice == row.number("cut_received_bytes"))
                #expect((Self.size / 2...Self.size / 2 + 131_072).contains(twice))
                #expect(try row.number("refetched_ratio") == twice / Self.size)
            }
            #expect(report.contains("## Scenario resume"))
            for (scenario, words) in [
                ("changed", "fetches all of it again, as it has to"), ("memory", "refetches received bytes"),
            ] {
                let isSaid = report.split(separator: "\n").contains {
                    $0.contains("| raw |") && $0.contains("resume:\(scenario) |") && $0.contains("| \(words) |")
                }
                #expect(isSaid, "\(scenario)")
            }
        }

        /// Places that are drawn from the plan's seed: every body is right, and of what had been read nothing comes again.
        @Test(.startsCommandsAlone) func aProcessIsKilledWhileItsBodyArrives() async throws {
            let sandbox = try Sandbox("inflight")
            let rows = try await sandbox.rows([
                "--asset", "1MiB", "--mode", "stream,ahc-stream,raw", "--scenario", "resume", "--trials", "7", "--seed",
                "7",
            ])
            #expect(rows.count == 21)
            var twice: [Double] = []
            for row in rows {
                let (kept, received) = (try row.number("cut_kept_bytes"), try row.number("cut_received_bytes"))
                #expect(kept > 0 && kept < Self.size)
                #expect(received >= kept && received < Self.size)
                #expect(try row.number("refetched_bytes") == received - kept)
                twice.append(received - kept)
            }
            // A client may read one piece while another one is written: on a busy machine it is killed then now and again.
            #expect(twice.sorted()[10] <= 65_536, "\(twice)")
            #expect(Set(rows.map { $0["body_sha256"] }).count == 1)
            #expect(Set(rows.map { $0["cut_kept_bytes"] }).count > 5, "another place each time")
            #expect(try rows.contains { try $0.number("cut_underway_bytes") > 0 }, "no byte was ever on its way")
        }

        /// A trial by hand, against a server that has nothing for the first process.
        @Test func whyTheFirstProcessEndedIsTold() async throws {
            let sandbox = try Sandbox("ended")
            let server = try SocketServer { request in
                let head = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nConnection: close\r\n"
                if request.contains("stall=") { return Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8) }
                if request.hasPrefix("HEAD ") { return Array((head + "Content-Length: 1000\r\n\r\n").utf8) }
                let body =
                    request.hasPrefix("GET /stats ") ? #"{"connections_accepted":0,"bytes_sent":0}"# : "a warm-up"
                return Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
            }
            let document = """
                {"version": 4, "mode": "raw", "render": "none", "warmupURL": "\(server.url)/warmup",
                "url": "\(server.url)/body", "warmsTarget": false, "directory": "\(sandbox.work)",
                "verification": "sha256", "idleTimeoutSeconds": 30, "seed": 1, "plantedByteCount": 0,
                "rendering": {"viewWidth": 9, "viewHeight": 9, "maximumPixels": 99, "maximumEncodedBytes": 99},
                "conditions": {"scenario": "resume"}}
                """
            try sandbox.write(document, to: "request.json")
            let ended = try await sandbox.tool(
                "sh", "-c", "exec '\(BuiltBinary.neighbour("trial-raw"))' < request.json")
            let said = "the first process has ended by itself, with status 0: warmup: http_status: "
            #expect(ended.output.contains(said), "\(ended.output.suffix(400)) \(ended.complaint)")
        }
    }

    @Suite struct SlotScenario {
        @Test func noMoreGoesOnAtOnceThanThereAreSlots() async throws {
            let sandbox = try Sandbox("slots")
            // Slow enough that a fetch lasts until the others have begun on a busy machine, too.
            let rows = try await sandbox.rows([
                "--mode", "data,ahc-collect", "--asset", "256KiB", "--rate", "2MiB", "--scenario",
                "concurrency:1x1,concurrency:5x2,concurrency:unlimited",
            ])
            let run = try sandbox.onlyRun()
            let verdicts = try run.text(of: "report.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
            #expect(verdicts.count { $0.contains("| holds as many as there are |") } == 2)
            #expect(verdicts.count { $0.contains("| holds as many as it has slots |") } == 4)
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

        /// By the origin's own count: clients alone would open 6 or 8 connections.
        @Test func asManyDownloadsRunAsThereAreSlots() async throws {
            let sandbox = try Sandbox("connections")
            let origin = try await ServeProcess(sandbox)
            let url = origin.url + "/bytes/256KiB?rate=128KiB"
            _ = try await sandbox.rows(["--url", url, "--mode", "data", "--scenario", "concurrency:unlimited"])
            let stats = try await sandbox.tool("curl", "-s", origin.url + "/stats").output
            #expect(stats.contains("\"most_concurrent_requests\":20"), "\(stats)")
        }
    }
}
