// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

extension Conduct {
    /// Whatever goes wrong with a fetch is a stored outcome that says which; the run goes on and ends with 2.
    @Suite struct Outcomes {
        static let urlSession = ["data", "download", "stream"]
        static let everyMode = urlSession + ["raw"]

        /// Runs every mode on a URL and expects each to fail with one of the codes.
        private func expect(
            _ codes: Set<String>, at url: String, in sandbox: Sandbox, modes: [String] = everyMode,
            location: SourceLocation = #_sourceLocation
        ) async throws {
            let output = "results-\(UUID().uuidString)"
            let ended = try await sandbox.fetchbench(
                ["run", "--url", url, "--mode", modes.joined(separator: ","), "--trials", "1", "--timeout", "5"] + [
                    "--no-reference", "--output", output,
                ])
            #expect(ended.status == 2, sourceLocation: location)
            let run = try sandbox.onlyRun(in: output)
            #expect(Set(try run.trials().map(\.case.mode)) == Set(modes + ["none"]), sourceLocation: location)
            #expect(try run.record().finishedAt != nil, sourceLocation: location)
            for row in try run.table("trials.csv").rows {
                guard let mode = row["mode"], let detail = row["outcome_detail"] else { continue }
                if mode == "none" {
                    #expect(row["outcome"] == "completed", "the floor needs no origin", sourceLocation: location)
                    continue
                }
                #expect(row["outcome"] == "failed", "\(mode): \(detail)", sourceLocation: location)
                let code = detail.split(separator: ":").dropFirst().first?.trimmingCharacters(in: .whitespaces)
                #expect(codes.contains(code ?? ""), "\(mode): \(detail)", sourceLocation: location)
                #expect(row["peak_resident_growth_bytes"] == "", "no figure, and no zero", sourceLocation: location)
                #expect(ended.complaint.contains(code ?? "?"), "said at once", sourceLocation: location)
            }
        }

        /// A terminal and a log show what is printed at once and what is printed at the end, so each failure stands there
        /// once; a file of the answer alone has it, too.
        @Test(arguments: [
            ("exec 'sh -c \"exit 7\"' true --trials 2", "ended with status 7"),
            ("run --asset 16MiB --mode data,raw --render none --memory-limit 20MiB --trials 2", "--memory-limit"),
        ])
        func aFailureIsPrintedOnce(line: String, words: String) async throws {
            let sandbox = try Sandbox("once")
            let together = try await sandbox.shell("fetchbench \(line) 2>&1")
            #expect(together.status == 2)
            let apart = try await sandbox.shell("fetchbench \(line)")
            for text in [together.output, apart.output, apart.complaint] {
                #expect(
                    text.split(whereSeparator: \.isWhitespace).joined(separator: " ").ranges(of: words).count == 1,
                    "\(text)")
            }
        }

        @Test func nginxServesAFileToEveryModeAndRefuses() async throws {
            let sandbox = try Sandbox("nginx")
            let nginx = try await Nginx(sandbox, file: String(repeating: "0123456789abcdef", count: 40_000))
            let rows = try await sandbox.rows(["--url", nginx.url + "/file.bin"])
            let sum = try await sandbox.tool("sha256sum", sandbox.path + "/nginx/files/file.bin")
            #expect(rows.count == 4)
            for row in rows {
                #expect(row["body_bytes"] == "640000" && sum.output.hasPrefix(row["body_sha256"] ?? "?"))
            }
            try await expect(["http_status"], at: nginx.url + "/missing", in: sandbox)
            try await expect(["tls"], at: nginx.secureURL + "/file.bin", in: sandbox, modes: Self.urlSession)
        }

        @Test(arguments: [("text.jpg", "failed", "not_an_image"), ("bomb.jpg", "rejected", "over_limit")])
        func picturesThatAreNone(path: String, kind: String, code: String) async throws {
            let sandbox = try Sandbox("pictures")
            let origin = try await ServeProcess(sandbox, "--rate", "unlimited")
            try await sandbox.fetchbench(
                "--url", "\(origin.url)/faults/\(path)", "--mode", "data,download", "--render", "imageview,thumbnail",
                "--trials", "1", status: 2, within: 150)
            let trials = try sandbox.onlyRun().trials().filter { $0.case.mode != "none" }
            #expect(trials.count == 4)
            for trial in trials {
                #expect(trial.outcome.kind == kind)
                #expect(trial.outcome.detail.contains(": \(code): "), "\(trial.outcome.detail)")
            }
        }

        @Test func stalledTrialsAreKilledAndTheRunContinues() async throws {
            let sandbox = try Sandbox("stall")
            let silent = try SocketServer { _ in nil }
            try await sandbox.fetchbench(
                "--url", silent.url + "/", "--mode", "data,raw", "--trials", "1", "--timeout", "2", "--no-reference",
                status: 2)
            let trials = try sandbox.onlyRun().trials()
            #expect(trials.count == 3 && trials.contains { $0.outcome.kind == "completed" })
            for trial in trials where trial.case.mode != "none" {
                #expect(trial.outcome.kind == "timed_out" && trial.outcome.detail.contains("2"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func aBodyWithoutAnEndIsStoppedByTheMemoryLimit() async throws {
            let sandbox = try Sandbox("endless")
            let origin = try await ServeProcess(sandbox, "--rate", "200MiB")
            let ended = try await sandbox.fetchbench(
                "--url", origin.url + "/faults/endless", "--mode", "data", "--trials", "2", "--timeout", "60",
                "--no-reference", "--memory-limit", "200MiB", status: 2, within: 60)
            let run = try sandbox.onlyRun()
            let rows = try run.rows(ofMode: "data")
            #expect(rows.map { $0["outcome"] } == ["over_limit", "over_limit"])
            for row in rows {
                let detail = row["outcome_detail"] ?? ""
                #expect(detail.contains("200.0 MiB") && detail.contains("--memory-limit"), "\(detail)")
                let reached = try #require(detail.firstMatch(of: #/held ([0-9.]+) MiB/#).flatMap { Double($0.1) })
                #expect(reached >= 200 && reached < 1024, "\(detail)")
                #expect(try row.number("process_duration_ns") < 30e9, "long before its time is over")
                #expect(row["peak_resident_growth_bytes"] == "", "no figure, and no zero")
            }
            // The others go on, and everybody is told.
            #expect(try run.rows(ofMode: "none").map { $0["outcome"] } == ["completed", "completed"])
            #expect(ended.complaint.contains("over_limit") && ended.complaint.contains("raise --memory-limit"))
            #expect(try run.text(of: "report.md").contains(#"over\_limit"#))
            #expect(try run.text(of: "run.json").contains("--memory-limit 200MiB"), "to do it again")
            let isOriginAlone = try await eventually(within: 5) { ProcessTable.processes(of: sandbox).count == 1 }
            #expect(isOriginAlone, "the origin of this test alone")
        }

        @Test func aFewFailuresAreStoredAndCounted() async throws {
            let sandbox = try Sandbox("flaky")
            let count = Mutex(0)
            let server = try SocketServer { request in
                guard request.hasPrefix("GET") else { return SocketServer.response("") }
                // The first trial's, behind two of the reference.
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 3
                }
                let refusal = Array("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno".utf8)
                return isFirst ? refusal : SocketServer.response("yes")
            }
            let ended = try await sandbox.fetchbench("--url", server.url + "/", "--mode", "raw", "--trials", "4")
            #expect(ended.status == 0, "three good trials of four are an answer")
            let run = try sandbox.onlyRun()
            let rows = try run.rows(ofMode: "raw")
            #expect(rows.map { $0["outcome"] } == ["failed", "completed", "completed", "completed"])
            #expect(rows[0]["outcome_detail"]?.contains("500") == true)
            #expect(ended.output.contains("3 (1 failed)"))
            #expect(try run.text(of: "report.md").contains("1 of 4 trials failed"))
        }
    }
}
