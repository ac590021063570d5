// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

extension Conduct {
    /// The reference fetch of a foreign URL before any mode is measured.
    @Suite struct References {
        private static let quick = ["--render", "none", "--trials", "1", "--quiet"]

        private func run(_ sandbox: Sandbox, _ url: String, _ words: [String]) async throws -> (
            ended: Ended, rows: [[String: String]], warnings: [String]
        ) {
            let ended = try await sandbox.fetchbench(["run", "--url", url] + words + Self.quick, within: 100)
            let run = try sandbox.onlyRun()
            let head = try Data(contentsOf: URL(fileURLWithPath: run.folder + "/run.json"))
            let record = try JSONSerialization.jsonObject(with: head) as? [String: Any]
            let warnings = (record?["warnings"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
            return (ended, try run.table("trials.csv").rows.filter { $0["mode"] != "none" }, warnings)
        }

        /// Some clients decode what is sent encoded, others do not: neither is wrong.
        @Test(arguments: [
            "gzip": "gzip", "zlib": "deflate", "raw": "deflate", "twice": "gzip, gzip", "br": "br", "zstd": "zstd",
            "members": "gzip", "transfer": "gzip, chunked",
        ])
        func anEncodedBodyIsRightBothWays(coding: String, header: String) async throws {
            let sandbox = try Sandbox("coding")
            let server = try await OddServer(sandbox)
            let (ended, rows, warnings) = try await run(
                sandbox, server.url + "/coded/" + coding,
                ["--mode", "none,data,download,raw,curl-stream,ahc-stream,nio-stream"])
            #expect(warnings.contains { $0.hasPrefix("the server") && $0.contains(" \(header) ") }, "\(warnings)")
            guard coding != "transfer" else {
                let wrong = rows.filter { $0["outcome"] == "wrong_body" }.compactMap { $0["mode"] }
                #expect(Set(wrong) == ["ahc-stream", "nio-stream"], "\(rows)")
                return #expect(warnings.contains { $0.contains("decode it differently") }, "\(warnings)")
            }
            guard coding != "members" else {
                let data = try #require(rows.first { $0["mode"] == "data" })
                #expect(data["outcome"] == "failed" && data["outcome_detail"]?.contains("cannot decode") == true)
                return #expect(rows.count { $0["outcome"] == "completed" } == 4, "\(rows)")
            }
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(rows.count == 6 && rows.allSatisfy { $0["outcome"] == "completed" }, "\(rows)")
            #expect(Set(rows.compactMap { $0["asset_bytes"] }).count == 2, "\(rows.map { $0["asset_bytes"] })")
        }

        @Test func aLoginPageIsTheServersDoing() async throws {
            let sandbox = try Sandbox("portal")
            let server = try await OddServer(sandbox)
            let (ended, rows, warnings) = try await run(sandbox, server.url + "/portal-1", ["--mode", "none,data,raw"])
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(rows.allSatisfy { $0["outcome"] == "completed" && $0["asset_bytes"] == "65536" }, "\(rows)")
            #expect(warnings.filter { $0.hasPrefix("the server") }.count == 1, "\(warnings)")
        }

        @Test(arguments: [("missing", "404"), ("cookie", "--no-reference")])
        func anAssetThatCannotBeHadEndsTheRunBeforeItBegins(path: String, word: String) async throws {
            let sandbox = try Sandbox("missing")
            let server = try await OddServer(sandbox)
            let ended = try await sandbox.fetchbench(
                ["run", "--url", "\(server.url)/\(path)", "--mode", "data"] + Self.quick)
            #expect(ended.status == 2 && ended.output.isEmpty && sandbox.runFolders().isEmpty)
            #expect(ended.complaint.contains(word), "\(ended.complaint)")
        }

        /// One warning for all trials, and no mode is to blame.
        @Test(arguments: [("changing", true), ("growing", false)])
        func anAssetThatChangesIsToldOnce(path: String, hasLength: Bool) async throws {
            let sandbox = try Sandbox("changing")
            let server = try await OddServer(sandbox)
            let (ended, rows, warnings) = try await run(
                sandbox, server.url + "/" + path, ["--mode", "none,data,raw,stream"])
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(rows.count == 3 && rows.allSatisfy { $0["outcome"] == "completed" }, "\(rows)")
            #expect(warnings.filter { $0.contains("another body each time") }.count == 1, "\(warnings)")
            #expect(
                ended.complaint.contains("--verify length") == hasLength
                    || warnings.contains { $0.contains("length") } == hasLength)
        }

        /// The HEAD that warms a connection is none that the user asked for, so that it may not decide.
        @Test(arguments: ["headhang", "headclose"])
        func aBadAnswerToHeadHarmsNoFetch(path: String) async throws {
            let sandbox = try Sandbox("head")
            let server = try await OddServer(sandbox)
            let (ended, rows, warnings) = try await run(
                sandbox, server.url + "/" + path, ["--mode", "none,data,stream,ahc-stream,curl-stream,nio-stream,raw"])
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(rows.count == 6 && rows.allSatisfy { $0["outcome"] == "completed" }, "\(rows)")
            #expect(warnings.filter { $0.contains("HEAD") }.count == 1, "\(warnings)")
        }

        @Test func aGoodServerIsWarmedByHeadAndNotDoubted() async throws {
            let sandbox = try Sandbox("good")
            let server = try await OddServer(sandbox)
            let (ended, rows, warnings) = try await run(sandbox, server.url + "/file", ["--mode", "none,data"])
            #expect(ended.status == 0 && rows.allSatisfy { $0["outcome"] == "completed" })
            #expect(!warnings.contains { $0.contains("server") || $0.contains("HEAD") }, "\(warnings)")
            let lines = try await sandbox.tool("curl", "-s", server.url + "/lines").output.split(separator: "\n")
            // The reference: two bodies and a HEAD; then a HEAD and the measured GET.
            #expect(lines.map { $0.prefix { $0 != " " } } == ["GET", "HEAD", "GET", "HEAD", "GET"], "\(lines)")
        }

        @Test(arguments: [
            ("/\u{FC}%2F/./a/../b%20c?q=a b#top", "/%C3%BC%2F/b%20c?q=a%20b"), ("?x=%5B[", "/?x=%5B%5B"),
        ])
        func everyClientAsksForTheSameBytes(typed: String, target: String) async throws {
            let sandbox = try Sandbox("bytes")
            let server = try await OddServer(sandbox)
            let modes = "none,data,download,stream,raw,curl-stream,ahc-stream,nio-stream"
            try await sandbox.fetchbench(
                ["run", "--url", server.url + typed, "--mode", modes, "--exec", "curl=curl -s -o {file} {url}"]
                    + Self.quick, status: 0)
            let lines = try await sandbox.tool("curl", "-s", server.url + "/lines").output.split(separator: "\n")
            let targets = Set(lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
            #expect(targets == [target], "\(targets)")
            #expect(lines.count >= 3 + 8)
        }
    }
}
