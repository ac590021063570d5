// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Certificate authorities of a foreign URL, the limits of decoding, and what is said of a failure.
    @Suite struct LimitFlags {
        @Test func everyClientTrustsTheNamedAuthority() async throws {
            let sandbox = try Sandbox("cacert")
            let origin = try await ServeProcess(sandbox, "--tls", "authority.pem")
            let url = try #require(origin.secureURL) + "/bytes/64KiB"
            let words = [
                "run", "--url", url, "--mode", "data,ahc-stream,nio-stream,curl-stream", "--exec",
                "curl=curl -s -o {file} {url}", "--render", "none", "--trials", "1", "--quiet",
            ]
            let trusted = try await sandbox.fetchbench(words + ["--cacert", "authority.pem"])
            #expect(trusted.status == 0, "\(trusted.output)\(trusted.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.trials().count { $0.outcome.kind == "completed" && $0.case.asset == "url" } == 5)
            #expect(try !run.text(of: "run.json").contains(sandbox.work), "the folder is the user's")
            let refused = try await sandbox.fetchbench(words + ["--output", "refused"])
            #expect(refused.status == 2 && refused.complaint.contains("certificate"), "\(refused.complaint)")
        }

        @Test(arguments: [
            (["--asset", "1MiB", "--cacert", "a.pem"], "needs an https --url"),
            (["--url", "https://127.0.0.1:1/", "--cacert", "/nonexistent"], "cannot be read"),
            (["--url", "https://127.0.0.1:1/", "--cacert", "no.pem"], "expected a PEM file"),
            (["--max-pixels", "many"], "200MP"), (["--max-pixels", "0"], "200MP"),
            (["--max-pixels", "3000MP"], "200MP"),
            (["--max-decode-memory", "5"], "5MiB"), (["--max-decode-memory", "1KiB"], "1GiB"),
        ])
        func whatIsWrongIsSaidWithTheRemedy(words: [String], remedy: String) async throws {
            let sandbox = try Sandbox("limits")
            try sandbox.write("no certificate", to: "no.pem")
            let ended = try await sandbox.fetchbench(["run", "--mode", "data", "--trials", "1"] + words)
            #expect(ended.status == 64 && ended.complaint.contains(remedy), "\(ended.status): \(ended.complaint)")
        }

        /// A progressive photo of 24 megapixels is decoded through an array of its coefficients.
        @Test(
            arguments: [
                ("hero", ["--max-pixels", "1MP"], "the limit is 1000000"), ("hero", ["--max-pixels", "24MP"], nil),
                ("hero-progressive", ["--max-decode-memory", "8MiB"], "--max-decode-memory"),
                ("hero-progressive", [], nil),
            ] as [(String, [String], String?)])
        func picturesAboveALimitAreNotDecoded(asset: String, words: [String], reason: String?) async throws {
            let sandbox = try Sandbox("pixels")
            let ended = try await sandbox.fetchbench(
                ["run", "--asset", asset, "--mode", "raw", "--render", "imageview", "--trials", "1", "--quiet"] + words)
            #expect(ended.status == (reason == nil ? 0 : 2), "\(ended.output)\(ended.complaint)")
            let details = try sandbox.onlyRun().trials().map(\.outcome.detail)
            if let reason { #expect(details.contains { $0.contains(reason) }, "\(details)") }
        }

        @Test func theLastFiveLinesOfAFailureAreKept() async throws {
            let sandbox = try Sandbox("words")
            let ended = try await sandbox.fetchbench(
                "exec", "--trials", "1", "--format", "csv",
                "sh -c 'for i in 1 2 3 4 5 6 7; do echo line-$i >&2; done; exit 3'")
            #expect(ended.status == 2)
            #expect(ended.output.contains("line-3 | line-4 | line-5 | line-6 | line-7"), "\(ended.output)")
            #expect(!ended.output.contains("line-2 |"))
        }

        @Test func aTimeOutSaysWhatTheOriginHadSent() async throws {
            let sandbox = try Sandbox("slow")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "64MiB", "--mode", "raw", "--render", "none", "--rate", "8MiB", "--timeout", "2",
                "--trials", "1",
                "--quiet")
            #expect(ended.status == 2)
            let detail = try #require(sandbox.onlyRun().trials().first { $0.outcome.kind == "timed_out" }).outcome
                .detail
            let sent = try #require(detail.firstMatch(of: /had sent ([0-9]+) MiB of 64\.0 MiB/)?.1, "\(detail)")
            #expect((4...40).contains(try #require(Int(sent))) && detail.contains("--timeout"), "\(detail)")
        }

        @Test(arguments: [
            ["run", "--mode", "nonsense", "--format", "json"], ["exec", "--format=json", "/nonexistent"],
        ])
        func errorsAreJSONWhereTheAnswerIs(words: [String]) async throws {
            let ended = try await Sandbox("json").fetchbench(
                words.first == "run" ? ["answer", "--asset", "nonsense"] + words[3...] : words)
            #expect(ended.status != 0)
            for line in ended.complaint.split(separator: "\n") where line.contains("rror") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                #expect(object?["error"]?.isEmpty == false, "\(line)")
            }
        }
    }
}
