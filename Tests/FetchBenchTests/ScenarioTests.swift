// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Scenarios, as the built programs play them against the embedded origin.
    @Suite(.startsWaitingCommands) struct Scenarios {
        /// On a socket of our own nothing is left but what is kept on purpose: to the byte.
        ///
        /// Nor does a cancelled request leave anything. Caches of jemalloc's threads count as free; those of glibc's,
        /// which still fill, as allocated.
        @Test(arguments: [("glibc", "repeat:200"), ("jemalloc", "repeat:cancel:200")])
        func memoryKeptByARequestIsFoundToTheByte(allocator: String, flat: String) async throws {
            let sandbox = try Sandbox("leak")
            let rows = try await sandbox.rows([
                "--mode", "raw", "--asset", "16KiB", "--scenario", flat + ",repeat:keep-64:200", "--trials", "1",
                "--allocator", allocator, "--timeout", "600",
            ])
            #expect(rows.count == 2)
            for row in rows {
                let expected = row["scenario"] == flat ? 0.0 : 64
                #expect(abs(try row.number("allocated_slope_bytes") - expected) <= 16, "\(row["case"] ?? "")")
                #expect(try row.number("scenario_requests") >= (expected == 0 ? 200 : 400), "a rise is followed")
                guard row["scenario"] != "repeat:cancel:200" else { continue }
                #expect(row["body_bytes"] == "16384")
                #expect(row["returned_after_purge_bytes"]?.isEmpty == false)
            }
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("## Scenario repeat"))
            // The legend names every word: only the rows of the table say which one is meant.
            let rowsOfTable = report.split(separator: "\n").filter { $0.hasPrefix("| ") }
            let keeps = try #require(rowsOfTable.first { $0.contains("keep-64:200") })
            #expect(keeps.contains(#/\| leaks [4-8]\d B a request/#), "\(keeps)")
            #expect(rowsOfTable.contains { $0.contains("scenario=\(flat)") && $0.contains("| flat |") })
            let log = try sandbox.onlyRun().text(of: "trials.jsonl")
            #expect(log.contains("cancelled after ") == flat.contains("cancel"), "the offsets are stored")
        }

        @Test func everyBodyThatIsKeptIsInThePeakAndInTheSlope() async throws {
            let sandbox = try Sandbox("bodies")
            let rows = try await sandbox.rows([
                "--mode", "data", "--asset", "256KiB", "--scenario", "repeat:keep-bodies:40", "--trials", "1",
            ])
            let row = try #require(rows.first)
            // 10 MiB and what the program holds by itself. Not by growth: the first of them may lie where the warm-up's were,
            // and on a busy machine more of those are there at once.
            #expect(try row.number("peak_anonymous_bytes") > 13 * 1_048_576)
            #expect(try abs(row.number("allocated_slope_bytes") - 262_144) < 16_384)
            #expect(try sandbox.onlyRun().text(of: "report.md").contains("leaks 26"))
        }

        @Test func aLeakyPublisherIsFoundAndTheRepairedOneIsFlat() async throws {
            let sandbox = try Sandbox("publishers")
            _ = try await sandbox.rows([
                "--program", BuiltBinary.neighbour("publisher-fixture"), "--mode", "leaky-publisher,repaired-publisher",
                "--asset", "16KiB", "--scenario", "repeat:cancel:200", "--allocator", "glibc",
            ])
            let rows = try sandbox.onlyRun().text(of: "report.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
            let leaky = try #require(rows.first { $0.contains("| leaky-publisher |") })
            let bytes = try #require(leaky.firstMatch(of: /leaks (\d+) B a request/)?.1, "\(leaky)")
            #expect(try #require(Int(bytes)) > 100)
            let repaired = try #require(rows.first { $0.contains("| repaired-publisher |") })
            #expect(!repaired.contains("leaks") && !repaired.contains("grows"), "\(repaired)")
        }

        /// An origin whose body becomes another one after some of the repetitions.
        @Test func aBodyThatChangesIsNoneThatCouldBeChosen() async throws {
            let sandbox = try Sandbox("changing")
            let origin = try await ServeProcess(sandbox)
            let url = origin.url + "/bytes/16KiB?changes-after=40&rate=unlimited"
            let rows = try await sandbox.rows(["--url", url, "--mode", "raw", "--scenario", "repeat:60"], status: 2)
            let row = try #require(rows.first)
            #expect(row["outcome"] == "wrong_body", "\(row["outcome_detail"] ?? "")")
            #expect(row["outcome_detail"]?.contains("two bodies") == true)
        }
    }

    /// A server in the measured process, and its slow readers in another one.
    @Suite struct Proxy {
        /// 50 MiB of bodies are asked for at once: whoever holds them whole shows it, and the server by itself does not.
        @Test func theControlHoldsWholeBodiesAndStreamingDoesNot() async throws {
            let sandbox = try Sandbox("proxy")
            let rows = try await sandbox.rows([
                "--mode", "ahc-stream", "--asset", "1MiB", "--max-connections", "50", "--scenario",
                "proxy:300,proxy:buffered:300,proxy:server:300",
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
            let rows = try await sandbox.rows([
                "--mode", "ahc-stream,nio-stream", "--asset", "16KiB", "--scenario", "proxy:100,proxy:close:100",
            ])
            #expect(rows.count == 4)
            let sum = Set(rows.map { $0["body_sha256"] ?? "" })
            #expect(sum.count == 1 && sum.first?.count == 64)
            for row in rows {
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
        @Test func noReaderIsLeftBehindWhenTheHarnessEnds() async throws {
            let sandbox = try Sandbox("readers")
            let process = try sandbox.start([
                "run", "--asset", "16KiB", "--mode", "ahc-stream", "--scenario", "proxy:1000000", "--trials", "1",
                "--timeout", "90",
            ])
            let isUnderWay = try await eventually(within: 60) {
                ProcessTable.processes(of: sandbox).contains { $0.arguments.first == "companion" }
            }
            try #require(isUnderWay && process.isRunning)
            process.send(SIGKILL)
            #expect(try await ProcessTable.remaining(in: sandbox, after: 20) == [])
        }
    }
}
