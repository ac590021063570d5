// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// A server in the measured process, and its slow readers in another one.
    @Suite struct Proxy {
        private func rows(_ sandbox: Sandbox, _ arguments: [String]) async throws -> [CSVTable.Row] {
            let ended = try await sandbox.fetchbench(
                ["run", "--render", "none", "--rate", "unlimited", "--trials", "1", "--quiet"] + arguments, within: 250)
            #expect(ended.status == 0, "\(ended.complaint)")
            return try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
        }

        /// 50 MiB of bodies are asked for at once: whoever holds them whole shows it, and the server by itself does not.
        @Test func theControlHoldsWholeBodiesAndStreamingDoesNot() async throws {
            let sandbox = try Sandbox("proxy")
            let rows = try await rows(
                sandbox,
                [
                    "--mode", "ahc-stream", "--asset", "1MiB", "--max-connections", "50",
                    "--scenario", "proxy:300,proxy:buffered:300,proxy:server:300",
                ])
            #expect(rows.count == 3)
            for row in rows {
                #expect(row["outcome"] == "completed" && row["body_bytes"] == "1048576")
                #expect(try row.number("scenario_requests") == 300)
                // No reader sleeps for less than it is told to; each has a descriptor in the server at the same time.
                #expect(try row.number("reader_p50_ns") >= 100e6)
                #expect(try row.number("reader_p99_ns") >= row.number("reader_p50_ns"))
                #expect(try row.number("most_descriptors") >= 50)
            }
            let held = Dictionary(
                uniqueKeysWithValues: try rows.map { ($0["scenario"] ?? "", try $0.number("held_per_reader_ratio")) })
            let (streamed, buffered) = (try #require(held["proxy:300"]), try #require(held["proxy:buffered:300"]))
            #expect(buffered >= 1 && streamed < 1 && buffered > 1.5 * streamed, "\(held)")
            #expect(try #require(held["proxy:server:300"]) < 0.1, "\(held)")
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("## Scenario proxy"))
            #expect(
                report.split(separator: "\n").contains { $0.contains("buffered") && $0.contains("holds whole bodies") })
            #expect(try sandbox.onlyRun().text(of: "trials.jsonl").contains("requests 1 to 16 of every 256 pause for"))
        }

        /// The origin counts: one client keeps its connections, the other one opens one for each of the requests.
        @Test func connectionsAreThoseThatTheOriginAccepted() async throws {
            let sandbox = try Sandbox("connections")
            let rows = try await rows(
                sandbox,
                [
                    "--mode", "ahc-stream,nio-stream,stream,data", "--asset", "16KiB",
                    "--scenario", "proxy:100,proxy:close:100",
                ])
            #expect(rows.count == 8)
            let sum = Set(rows.map { $0["body_sha256"] ?? "" })
            #expect(sum.count == 1 && sum.first?.count == 64)
            for row in rows {
                #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
                let connections = try row.number("origin_connections")
                // 1,000 requests of the warm-up, and those that are measured.
                #expect(row["mode"] == "nio-stream" ? connections == 1100 : connections < 1100, "\(row["case"] ?? "")")
                #expect(row["held_per_reader_ratio"]?.isEmpty == true, "less than 1 MiB of bodies says nothing")
            }
        }
    }
}

extension Conduct {
    /// A second process belongs to its trial.
    @Suite struct ProxyConduct {
        @Test(arguments: [SIGKILL, SIGINT])
        func nothingIsLeftBehindWhenTheHarnessEnds(signal: Int32) async throws {
            let sandbox = try Sandbox("readers")
            let process = try sandbox.start([
                "run", "--asset", "16KiB", "--mode", "ahc-stream", "--scenario", "proxy:1000000", "--trials", "1",
                "--timeout", "90",
            ])
            let isUnderWay = try await eventually(within: 60) {
                ProcessTable.processes(of: sandbox).contains { $0.arguments.first == "companion" }
            }
            try #require(isUnderWay && process.isRunning)
            process.send(signal)
            #expect(try await ProcessTable.remaining(in: sandbox, after: 20) == [])
        }

        @Test(arguments: [
            ("raw", "mode raw fetches one body at a time, which proxy:10 needs"),
            ("raw-drop", "mode raw-drop yields no body, which scenario proxy needs"),
        ])
        func whoCannotTakePartSaysWhy(mode: String, words: String) async throws {
            let sandbox = try Sandbox("parts")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "16KiB", "--mode", mode, "--scenario", "proxy:10", "--render", "none", "--trials", "1"
            )
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(words), "\(ended.complaint)")
        }

        @Test func aProgramHasNoPartOfAScenarioThatHasNone() async throws {
            let sandbox = try Sandbox("part")
            for name in ["repeat", "nothing"] {
                let ended = try await sandbox.start(BuiltBinary.neighbour("trial-raw"), ["--accompany", name]).end(
                    within: 20)
                #expect(ended.status == 64)
                #expect(ended.complaint.contains("no scenario \(name) that is accompanied"))
            }
        }
    }
}
