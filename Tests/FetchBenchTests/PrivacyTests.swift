// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Nothing of the user, the machine or a URL's secrets is stored or shown; nothing from outside acts on a terminal.
    @Suite struct Privacy {
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
            // Where the server is asked first, two of them are refused before the run.
            let unknown = "http://someuser:SECRETFOUR@SECRETFIVE.invalid/"
            for first in [["--no-reference"], []] {
                let urls = ["/bytes/64KiB", "/faults/status/404", "/faults/text.jpg"].map { base + $0 } + [unknown]
                for url in first.isEmpty ? [urls[1], urls[3]] : urls {
                    let words = ["run", "--url", url + query, "--render", "none,imageview", "--trials", "1"]
                    ended.append(try await sandbox.fetchbench(words + first, environment: marker))
                }
            }
            let secrets = ["ONE", "TWO", "THREE", "FOUR"].map { "SECRET" + $0 } + ["someuser"]
            let machine = [
                sandbox.path, "UNMISTAKABLE", "VALUEOFTHEMARKER", "FETCHBENCH_MARKER", "NAMEOFTHEUSER",
                URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path,
            ]
            let host = ProcessInfo.processInfo.hostName
            let traces = try self.traces(of: ended, in: sandbox)
            #expect(traces.count == 40, "four runs, each with two streams and seven files, and two that were refused")
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

        /// Commands that carry a secret in one shape each, and quote themselves where they fail.
        @Test func noSecretOfACommandIsStored() async throws {
            let sandbox = try Sandbox("planted")
            let shapes = [
                "-H 'Authorization: AWS KEY:Pl4nted'",
                "-H \"Authorization: Digest a=\\\"b\\\", response=\\\"Pl4nted\\\"\"",
                "postgres://me:Pl4nted@host/db", "TOKEN=Pl4nted", "--password=Pl4nted", "--password Pl4nted",
                "-u me:Pl4nted",
                "'{\"secret\": \"Pl4nted\"}'", "--cookie a=Pl4nted", "'https://h/a?X-Amz-Signature=Pl4nted&w=1'",
            ]
            let failing = shapes.map { "sh -c 'echo \"$@\" >&2; exit 3' sh " + $0 }
            let passing = shapes.map { "true " + $0 }
            // Of commands, and of a run whose trials fail.
            let commands = failing.prefix(3).enumerated().flatMap { ["--exec", "c\($0.offset)=\($0.element) {url}"] }
            var ended: [Ended] = []
            for words in [
                ["exec", "--trials", "2", "--output", "results", "--ignore-failure"] + failing + passing,
                ["run", "--asset", "4KiB", "--render", "none", "--trials", "1"] + commands,
            ] { ended.append(try await sandbox.fetchbench(words, within: 150)) }
            #expect(sandbox.runFolders().count == 2, "\(ended.map(\.complaint))")
            for folder in sandbox.runFolders() {
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    let text = String(
                        decoding: FileManager.default.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
                    #expect(!text.contains("Pl4nted"), "\(name)")
                }
            }
            for said in ended.flatMap({ [$0.output, $0.complaint] }) { #expect(!said.contains("Pl4nted"), "\(said)") }
        }

        /// A program of others that fails with words of its own: none of them begins a line, in no format and on no stream.
        @Test func outputOfAProgramCannotForgeALine() async throws {
            let sandbox = try Sandbox("forged")
            let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"
            let text = try String(contentsOfFile: example, encoding: .utf8)
            let words = #"no\n::error title=x::forged\r::warning::forged\n\x1b[31m##[error]forged\u202e|<script>"#
            let raising = text.replacing("body = answer.read()", with: "raise Failure(\"other\", \"\(words)\")")
            try #require(raising != text)
            let program = try sandbox.write(program: raising, to: "program.py")
            let variables = ["GITHUB_ACTIONS": "true", "PYTHONIOENCODING": "utf-8"]
            var ended = [
                try await sandbox.fetchbench(
                    "run", "--program", program, "--mode", "python-read", "--asset", "4KiB", "--render", "none",
                    "--trials", "1", "--label", "\u{1B}[2Jx|y<b>", environment: variables)
            ]
            let run = try #require(sandbox.runFolders().first)
            ended.append(
                try await sandbox.fetchbench(
                    "report", run, "--format", "table,markdown,csv,summary,html,json", environment: variables))
            #expect(ended[0].status == 2 && ended[0].complaint.contains("forged"), "\(ended[0].complaint)")
            for said in ended.flatMap({ [$0.output, $0.complaint] }) {
                let lines = said.split(whereSeparator: \.isNewline)
                #expect(!lines.contains { $0.drop(while: \.isWhitespace).hasPrefix("::") }, "\(said)")
                #expect(!said.contains("##["), "\(said)")
            }
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

        private func columns(in row: Substring) -> Int {
            row.replacingOccurrences(of: "\\|", with: "").count { $0 == "|" }
        }
    }
}
