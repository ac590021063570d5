// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Servers whose memory is known: Python's own, with handlers that hold a known share of their bodies.
private struct Servers {
    static let script = BuiltBinary.package + "/Benchmarks/servers/server.py"

    /// Returns the rows of servers, each with the path that it is asked for.
    static func rows(
        _ requests: [String], _ more: [String] = [], fault: String? = nil, status: Int32 = 0, in sandbox: Sandbox
    ) async throws -> [CSVTable.Row] {
        let command = "python3 \(script) {port} {origin}" + (fault.map { " --fault '\($0)'" } ?? "")
        return try await sandbox.rows(
            requests.flatMap { ["--server", "\($0) : \(command)"] } + more, status: status)
    }
}

extension EndToEnd {
    @Suite struct Endpoint {
        @Test func theBodiesInFlightAreCounted() async throws {
            let sandbox = try Sandbox("server")
            let rows = try await Servers.rows(
                [
                    "whole=GET /whole/16MiB", "pieces=GET /pieces/16MiB", "up=POST / body=16MiB",
                    "relay=GET /relay/16MiB warmup=/relay/1KiB",
                ], ["--concurrency", "1,3"], in: sandbox)
            #expect(rows.count == 8)
            for row in rows {
                let held = try row.number("copies_held_ratio")
                #expect(
                    row["mode"] == "pieces" ? held < 0.02 : (0.98...1.03).contains(held), "\(row["case"] ?? "") \(held)"
                )
                #expect(try row.number("requests_in_flight") == row.number("concurrency"))
                #expect(try row.number("first_byte_ns") <= row.number("last_byte_ns"))
                // Where trials have control groups of their own, the charge has the process's growth and what its sockets hold.
                if let charged = try? row.number("charge_growth_bytes") {
                    #expect(try charged > row.number("peak_resident_growth_bytes") - 1_048_576, "\(row["case"] ?? "")")
                }
                #expect(row["asset_bytes"] == (row["mode"] == "up" ? "2" : "16777216"))
            }
            let report = try sandbox.onlyRun().text(of: "report.md")
            let added = report.matches(of: /whole: each further request in flight adds ([\d.]+) MiB/).compactMap {
                Double($0.1)
            }
            #expect(added.count == 1 && (15.8...16.3).contains(added[0]), "\(report)")
            #expect(try await ProcessTable.remaining(in: sandbox, after: 5) == [])
        }

        /// Each bytearray has some hundred bytes besides its own.
        @Test func theSlopeIsWhatEachRequestLeaves() async throws {
            let sandbox = try Sandbox("leak")
            let rows = try await Servers.rows(
                ["keep=GET /keep/{size}"], ["-L", "size=64KiB,1MiB", "--scenario", "requests:60"], in: sandbox)
            #expect(rows.count == 2)
            for row in rows {
                let size = row["parameters"] == "size=1MiB" ? 1_048_576.0 : 65_536
                let left = try row.number("left_slope_bytes")
                #expect((size...size * 1.01 + 512).contains(left), "\(left)")
                #expect(try row.number("scenario_requests") == 60 && row["copies_held_ratio"] == "")
            }
        }

        /// A client that keeps two times 64 KiB, after one warm-up run of it; and a server that reads its port from a variable.
        @Test func aClientOfTheUsersOwnMakesTheRequests() async throws {
            let sandbox = try Sandbox("client")
            let twice = "sh -c 'for i in 1 2; do curl -sf http://127.0.0.1:$PORT/keep/64KiB; done'"
            let rows = try await Servers.rows(["own=CLIENT idle=0.1 \(twice)"], in: sandbox)
            #expect(rows.count == 1 && rows[0]["copies_held_ratio"] == "" && rows[0]["scenario_requests"] == "")
            let retained = try rows[0].number("retained_anonymous_growth_bytes")
            #expect((131_072...400_000).contains(retained), "\(retained)")
            let broken = try await Servers.rows(
                ["own=CLIENT sh -c 'echo no luck >&2; exit 3'"], status: 2, in: try Sandbox("broken"))
            let detail = try #require(broken.first?["outcome_detail"])
            #expect(detail.contains("the client ended with status 3") && detail.contains("no luck"), "\(detail)")
        }

        @Test func anAnswerIsHeldToTheFileThatIsExpected() async throws {
            let sandbox = try Sandbox("expect")
            let place = sandbox.work
            for (name, byte) in [("right", "x"), ("wrong", "y")] {
                try String(repeating: byte, count: 1024).write(
                    toFile: "\(place)/\(name)", atomically: true, encoding: .utf8)
            }
            let rows = try await Servers.rows(
                ["right=GET /whole/1KiB expect=\(place)/right", "wrong=GET /whole/1KiB expect=\(place)/wrong"],
                status: 2,
                in: sandbox)
            #expect(rows.map { $0["outcome"] == "completed" } == rows.map { $0["mode"] == "right" } && rows.count == 2)
        }

        /// A server is told its marks from outside: what it held before the first is not explained.
        @Test func theHoldersAreThoseBetweenTheMarks() async throws {
            struct Explanation: Decodable {
                struct Entry: Decodable {
                    struct Profile: Decodable { var explainedPeak: Int, stackShare: Double }
                    var profile: Profile?, obstacle: String?
                }
                var entries: [Entry]
            }
            let sandbox = try Sandbox("holders")
            _ = try await Servers.rows(["whole=GET /whole/16MiB"], ["--concurrency", "2", "--explain"], in: sandbox)
            let text = try sandbox.onlyRun().text(of: "explain.json")
            let found = try JSONDecoder().decode(Explanation.self, from: Data(text.utf8)).entries
            let profile = try #require(found.first?.profile, "\(found)")
            #expect(found.count == 1 && (0.97...1.05).contains(profile.stackShare), "\(profile)")
            #expect((0.98...1.05).contains(Double(profile.explainedPeak) / Double(32 << 20)), "\(profile)")
        }

        /// 4 MiB at 8 MiB a second, either way.
        @Test func aClientIsAsSlowAsItIsTold() async throws {
            let sandbox = try Sandbox("slow")
            let rows = try await Servers.rows(
                ["down=GET /whole/4MiB", "up=POST / body=4MiB"], ["--client-rate", "8MiB"], in: sandbox)
            #expect(rows.count == 2)
            for row in rows { #expect(try row.number("fetch_duration_ns") > 0.45e9) }
        }
    }
}

extension Conduct {
    @Suite struct EndpointConduct {
        @Test(arguments: [
            ("exits", "ended with status 1 before it was ready: there is no configuration"),
            ("never listens", "it listens on no port"), ("listens elsewhere", "it listens on port "),
            ("answers 500", "GET / was answered with status 500"), ("closes early", "3 bytes arrived of 100 promised"),
            ("hangs", "was killed after 14 s, during request 1, GET /"), ("crashes", "ended by signal 11"),
            ("changes", "was answered with two bodies"), ("daemonises", "it has to run in the foreground"),
        ]) func aServerThatFailsIsNamedAndGone(fault: String, words: String) async throws {
            let sandbox = try Sandbox("fault")
            let rows = try await Servers.rows(
                ["get=GET / start=6"], ["--timeout", "14", "--scenario", "requests:3"], fault: fault, status: 2,
                in: sandbox)
            #expect(rows.count == 1 && rows[0]["outcome"] != "completed")
            #expect(rows[0]["outcome_detail"]?.contains(words) == true, "\(rows[0]["outcome_detail"] ?? "")")
            #expect(try await ProcessTable.remaining(in: sandbox, after: 5) == [])
        }

        @Test func aServerThatIgnoresSIGTERMIsMeasuredAndKilled() async throws {
            let sandbox = try Sandbox("deaf")
            let rows = try await Servers.rows(["get=GET /"], fault: "ignores SIGTERM", in: sandbox)
            #expect(rows.count == 1 && rows[0]["stop_ns"] == "")
            #expect(try sandbox.onlyRun().text(of: "report.md").contains("was killed"))
            #expect(try await ProcessTable.remaining(in: sandbox, after: 5) == [])
        }
    }
}
