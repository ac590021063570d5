// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Nothing of the user, the machine or a URL's secrets is stored or shown; nothing from outside acts on a terminal.
    @Suite struct Privacy {
        /// Everything that a test's runs wrote and said.
        private func traces(of ended: [Ended], in sandbox: Sandbox) throws -> [(place: String, text: String)] {
            var traces = ended.flatMap { [("standard output", $0.output), ("standard error", $0.complaint)] }
            for folder in sandbox.runFolders() {
                let run = try StoredRun(folder)
                traces += try run.files.map { ($0, try run.text(of: $0)) }
            }
            return traces
        }

        @Test func noPathHostNameVariableOrSecretIsStored() async throws {
            let sandbox = try Sandbox("UNMISTAKABLE")
            let origin = try await ServeProcess(sandbox)
            let query = "?token=SECRETONE&X-Amz-Signature=SECRETTWO&api_key=SECRETTHREE&width=6000"
            let base = origin.url.replacingOccurrences(of: "http://", with: "http://someuser:SECRETFOUR@")
            let marker = ["FETCHBENCH_MARKER": "VALUEOFTHEMARKER", "USER": "NAMEOFTHEUSER", "LOGNAME": "NAMEOFTHEUSER"]
            var ended: [Ended] = []
            // A body, a refusal, a picture that is none, and a host that is not there: all of them quote the URL.
            for path in ["/bytes/64KiB", "/faults/status/404", "/faults/text.jpg"] {
                ended.append(
                    try await sandbox.fetchbench(
                        "run", "--url", base + path + query, "--render", "none,imageview", "--trials", "1",
                        environment: marker))
            }
            let unknown = "http://someuser:SECRETFOUR@SECRETFIVE.invalid/"
            ended.append(
                try await sandbox.fetchbench("--url", unknown + query, "--trials", "1", environment: marker))
            let secrets = ["ONE", "TWO", "THREE", "FOUR"].map { "SECRET" + $0 } + ["someuser"]
            let machine = [
                sandbox.path, "UNMISTAKABLE", "VALUEOFTHEMARKER", "FETCHBENCH_MARKER", "NAMEOFTHEUSER",
                URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path,
            ]
            let host = ProcessInfo.processInfo.hostName
            let traces = try self.traces(of: ended, in: sandbox)
            #expect(traces.count == 36, "four runs, each with two streams and seven files")
            for trace in traces {
                for word in secrets + machine {
                    #expect(!trace.text.contains(word), "\(trace.place) holds \(word)")
                }
                let paths = trace.text.matches(of: /["\s=(]\/(?:home|root|usr|var|etc|opt|proc\/\d)[^\s",)]*/)
                #expect(paths.isEmpty, "\(trace.place) holds \(paths.map(\.output))")
                let words = trace.text.matches(of: /[A-Za-z0-9_.-]+/).map { String($0.output) }
                #expect(host == "localhost" || !words.contains(host), "\(trace.place) names the machine")
            }
            let kept = try StoredRun(sandbox.runFolders()[0]).text(of: "run.json")
            #expect(kept.contains("width=6000"), "what is no secret stays")
        }

        @Test(arguments: ["\u{1B}[31mred", "%1B%5B31mred%1B%5D0;title%07", "|x|**b**<script>alert(1)</script>"])
        func escapesAndMarkupInAURLAreHarmless(path: String) async throws {
            let sandbox = try Sandbox("escapes")
            let origin = try await ServeProcess(sandbox)
            let ended = try await sandbox.fetchbench(
                "run", "--url", origin.url + "/" + path, "--mode", "data,raw", "--trials", "1")
            #expect([2, 64].contains(ended.status))
            try expectHarmless([ended], in: sandbox)
        }

        @Test func escapesInWordsAndHeadersAreHarmless() async throws {
            let sandbox = try Sandbox("headers")
            let origin = try await ServeProcess(sandbox)
            var ended = [
                try await sandbox.fetchbench(
                    "run", "--url", origin.url + "/faults/escape-header", "--trials", "1", "--label", "\u{1B}[2Jx|y<b>")
            ]
            for option in ["--mode", "--asset", "--render", "--rate", "--suite", "--verify"] {
                ended.append(try await sandbox.fetchbench("run", option, "\u{1B}[31mred\u{9B}2J"))
            }
            try sandbox.write("\"\u{1B}[31mmode\": raw\n", to: "suite.yml")
            ended.append(try await sandbox.fetchbench("run", "--suite", "suite.yml"))
            #expect(ended.dropFirst().allSatisfy { $0.status == 64 })
            try expectHarmless(ended, in: sandbox)
        }

        private func expectHarmless(_ ended: [Ended], in sandbox: Sandbox) throws {
            for trace in try traces(of: ended, in: sandbox) {
                let controls = trace.text.unicodeScalars.filter {
                    ($0.value < 0x20 && $0 != "\n" && $0 != "\r") || (0x7F..<0xA0).contains($0.value)
                }
                #expect(controls.isEmpty, "\(trace.place) holds control characters")
                if trace.place == "report.html" {
                    // Our own one, and no other.
                    #expect(trace.text.matches(of: /<script/).count == 1 && !trace.text.contains("<b>"))
                }
                guard trace.place == "report.md" else { continue }
                #expect(!trace.text.contains("<script>") && !trace.text.contains("<b>"))
                let tables = trace.text.split(separator: "\n", omittingEmptySubsequences: false)
                    .split { !$0.hasPrefix("|") }
                for table in tables {
                    #expect(Set(table.map { columns(in: $0) }).count == 1, "a cell broke out of its table")
                }
            }
        }

        /// The number of cells that Markdown sees in a row.
        private func columns(in row: Substring) -> Int {
            row.replacingOccurrences(of: "\\|", with: "").count { $0 == "|" }
        }
    }
}
