// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The dimensions of a plan beside assets, modes, render models and allocators.
    @Suite struct Conditions {
        private static let quick = ["--render", "none", "--trials", "1", "--rate", "unlimited"]

        @Test func inAMatrixWhatCannotBeDoneIsNotApplicableAndTheRestIsMeasured() async throws {
            let sandbox = try Sandbox("matrix")
            let rows = try await sandbox.rows(["--asset", "64KiB", "--mode", "raw,data,stream", "--concurrency", "1,3"])
            #expect(
                Set(rows.compactMap { $0["case"] }) == [
                    "64KiB/raw/none/glibc", "64KiB/data/none/glibc", "64KiB/stream/none/glibc",
                    "64KiB/data/none/glibc/concurrency=3", "64KiB/stream/none/glibc/concurrency=3",
                ])
            #expect(rows.allSatisfy { $0["body_bytes"] == "65536" })
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("**not applicable**: 64KiB/raw/none/glibc/concurrency=3 — "))
        }

        /// The growth of a cold start includes what a client loads and keeps; the whole process is the same in the end.
        @Test func aColdStartCountsWhatTheClientItselfCosts() async throws {
            let sandbox = try Sandbox("cold")
            let rows = try await sandbox.rows(["--asset", "4MiB", "--mode", "data", "--start", "warm,cold"])
            func mebibytes(_ column: String, _ start: String) throws -> Double {
                let row = try #require(rows.first { $0["start"] == start })
                return try row.number(column) / 1_048_576
            }
            let growth = "peak_resident_growth_bytes"
            #expect(try mebibytes("baseline_resident_bytes", "cold") < mebibytes("baseline_resident_bytes", "warm"))
            #expect(try mebibytes(growth, "cold") > mebibytes(growth, "warm"))
            #expect(try abs(mebibytes("peak_resident_bytes", "cold") - mebibytes("peak_resident_bytes", "warm")) < 2)
            let libraries = try mebibytes("program_bytes", "cold") - mebibytes("baseline_program_bytes", "cold")
            #expect(libraries > 3, "what is loaded is program pages: \(libraries) MiB")
            #expect(rows.filter { $0["start"] == "cold" }.allSatisfy { $0["body_bytes"] == "4194304" })
        }

        @Test func severalFetchesAtOnceAreAskedForAtOnce() async throws {
            let sandbox = try Sandbox("atonce")
            let sets = "1MiB,1MiB+2MiB+3MiB+4MiB"
            let rows = try await sandbox.rows([
                "--asset", sets, "--mode", "data,loop-data", "--concurrency", "4", "--max-connections", "2",
            ])
            let fetching = rows.filter { $0["mode"] != "none" }
            #expect(fetching.count == 4 && fetching.allSatisfy { $0["concurrency"] == "4" })
            for row in fetching {
                let requested = row["asset"] == "1MiB" ? 4 : 10
                let copies = try row.number("peak_resident_growth_bytes") / Double(requested << 20)
                #expect(abs(try row.number("copies_held_ratio") - copies) < 1e-9)
                #expect(copies > 0.9, "all four bodies are held at the end")
            }
            let stored = try sandbox.onlyRun().text(of: "run.json")
            #expect(stored.contains("--concurrency 4 --max-connections 2"))
        }

        /// A client that cannot do HTTP/2 and falls back to HTTP/1.1 fails its trial.
        @Test func overTLSEveryModeThatCanTrustsTheOriginsOwnAuthorityAndSpeaksHTTP2() async throws {
            let sandbox = try Sandbox("tls")
            try await sandbox.fetchbench(
                [
                    "--asset", "text-64KiB", "--mode", "all", "--scheme", "https", "--http", "1.1,2", "--exec",
                    "curl=curl -sS --fail -o {file} {url}", "--exec",
                    "wget=wget -q --ca-certificate={ca} -O {file} {url}",
                ] + Self.quick, status: 2)
            let rows = try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.allSatisfy { $0["scheme"] == "https" })
            let able: Set = [
                "data", "download", "stream", "sync-string", "upload", "ahc-stream", "curl-stream", "curl",
            ]
            for version in ["1.1", "2"] {
                let own = rows.filter { $0["http"] == version }
                let modes = Set(own.compactMap { $0["mode"] })
                #expect(modes.isSuperset(of: able.union(["nio-stream", "wget"])) && !modes.contains("raw"), "\(modes)")
                for row in own {
                    let isFallback = version == "2" && row["mode"] == "wget"
                    let detail = row["outcome_detail"] ?? ""
                    #expect(row["outcome"] == (isFallback ? "failed" : "completed"), "\(row["case"] ?? ""): \(detail)")
                    #expect(
                        detail == (isFallback ? "requested HTTP/2, but the origin was reached over HTTP/1.1" : ""))
                }
            }
        }

        @Test func otherTransferEncodingsBringTheSameBytes() async throws {
            let sandbox = try Sandbox("transfer")
            let rows = try await sandbox.rows(["--asset", "text-64KiB", "--mode", "all", "--transfer", "chunked,gzip"])
            for transfer in ["chunked", "gzip"] {
                let modes = Set(rows.filter { $0["transfer"] == transfer }.compactMap { $0["mode"] })
                #expect(modes.isSuperset(of: ["data", "stream", "ahc-stream"]))
                #expect(modes.contains("raw") == (transfer == "chunked"))
            }
        }

        @Test func allModesOfAForeignURLAreThereOrNotApplicable() async throws {
            let sandbox = try Sandbox("foreign")
            let origin = try await ServeProcess(sandbox)
            let rows = try await sandbox.rows(["--url", origin.url + "/text/64KiB", "--mode", "all"])
            #expect(Set(rows.compactMap { $0["mode"] }).isSuperset(of: ["raw", "data", "sync-string", "ahc-stream"]))
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.firstMatch(of: /\*\*not applicable\*\*: .*url\/upload\/none\/glibc/) != nil)
        }

        /// URLSession would hang, and the others be given the status: the server is asked first.
        @Test func aChallengeWithoutACredentialIsAClearFailure() async throws {
            let sandbox = try Sandbox("challenge")
            let origin = try await ServeProcess(sandbox)
            let plan =
                ["--url", origin.url + "/auth/basic", "--mode", "data,raw", "--timeout", "2"] + Self.quick.dropLast(2)
            // 'user:password', and no secret in what is stored.
            let credential = ["--header", "Authorization: Basic dXNlcjpwYXNzd29yZA==", "--output", "answered"]
            for (more, status) in [([], Int32(2)), (credential, 0)] {
                let ended = try await sandbox.fetchbench(plan + more, status: status)
                #expect(sandbox.runFolders().isEmpty)
                for words in ["401", "--header 'Authorization"] where status == 2 {
                    #expect(ended.complaint.contains(words), "\(ended.complaint)")
                }
            }
            let stored = try StoredRun(try #require(sandbox.runFolders(in: "answered").first))
            for file in stored.files { #expect(!(try stored.text(of: file)).contains("dXNlcjpwYXNzd29yZA")) }
        }

        @Test func threeSizesAreASweepWithASlope() async throws {
            let sandbox = try Sandbox("sweep")
            _ = try await sandbox.rows(["--asset", "1MiB,4MiB,16MiB", "--mode", "data,raw"])
            let slopes = try sandbox.onlyRun().table("slopes.csv").rows
            #expect(slopes.map { $0["mode"] } == ["data", "raw"])
            #expect(try abs(slopes[0].number("slope_ratio") - 2) < 0.2)
            #expect(slopes[1]["verdict"] == "constant")
            let run = try sandbox.onlyRun()
            let single = try await sandbox.place(MeasuredOnce.shared.run(holding: 8), as: "single")
            #expect(try !StoredRun(sandbox.work + "/" + single).files.contains("slopes.csv"))
            for (folder, text, said) in [
                (run.folder, try run.text(of: "slopes.csv"), ""), (single, "", "has no sweep"),
            ] {
                let drawn = try await sandbox.fetchbench("report", folder, "--format", "slopes")
                #expect(drawn.status == (said.isEmpty ? 0 : 2) && drawn.output == text, "\(drawn.output)")
                #expect(said.isEmpty || drawn.complaint.contains(said), "\(drawn.complaint)")
            }
        }
    }
}
