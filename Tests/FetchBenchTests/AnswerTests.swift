// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// `answer`: what a download task saves, without rendering and with it.
    @Suite struct Answers {
        /// The cells of the answer's table by the label of the row.
        private func table(_ report: String) -> [String: [String]] {
            let lines = report.split(separator: "\n").drop { !$0.hasPrefix("| MiB |") }.prefix { $0.hasPrefix("|") }
            let rows = lines.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            return Dictionary(rows.map { ($0[0], Array($0.dropFirst())) }) { first, _ in first }
        }

        /// The copies that a row of the table holds, and those derived from published figures.
        private func copies(_ row: [String]?) throws -> (here: Double, published: String) {
            let row = try #require(row)
            return (try #require(Double(row[6])), row[7])
        }

        @Test func theQuestionIsAnsweredFirstAndStoredAsARun() async throws {
            let sandbox = try Sandbox("answer")
            let ended = try await sandbox.fetchbench(
                "answer", "--trials", "2", "--label", "bench", "--output", "answers", status: 0)
            #expect(ended.output.hasPrefix("A download task saves "))
            for line in ended.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            #expect(ended.complaint.contains("report: answers/"))
            let run = try sandbox.onlyRun(in: "answers")
            #expect(try run.text(of: "run.json").contains(#""label" : "bench""#))
            let cells = Set(try run.trials().map { "\($0.case.asset)/\($0.case.mode)/\($0.case.render)" })
            #expect(
                cells == [
                    "none/none/none", "hero/data/none", "hero/data/imageview", "hero/download/none",
                    "hero/download/imageview",
                ], "the four cases, and the floor of the method")
            let report = try run.text(of: "report.md")
            #expect(report.contains(try #require(ended.output.split(separator: "\n").first)))
            let rows = table(report)
            for (label, copies, derived) in [("data task", 2.0, "2.40"), ("download task", 0.0, "0.32")] {
                let (here, published) = try self.copies(rows[label])
                #expect(abs(here - copies) < 0.15, "\(label)")
                #expect(published == derived)
            }
            let beside = try copies(rows["data task + rendering"]).here - copies(rows["download task + rendering"]).here
            #expect(abs(beside - 1) < 0.1, "beside the bitmap the data task holds the encoded bytes once")
        }

        @Test func assetsThatAreNotPhotosHaveNoAnswerWithRendering() async throws {
            let sandbox = try Sandbox("no-photo")
            let origin = try await ServeProcess(sandbox)
            let ended = try await sandbox.fetchbench(
                "answer", "--url", origin.url + "/bytes/64KiB", "--trials", "1", "--allocator", "glibc", status: 2)
            #expect(ended.output.hasPrefix("data peaks "), "\(ended.output)")
            #expect(
                ended.complaint.contains(/cannot be decoded \(render: \S+: .*\), so rendering cannot be compared/),
                "\(ended.complaint)")
            #expect(ended.complaint.contains("--render none"), "what to do is said")
            #expect(try sandbox.onlyRun().trials().count { $0.outcome.kind == "completed" } == 3)
        }
    }

    /// How pictures are shown: while they arrive, at once, in another view.
    @Suite struct Pictures {
        @Test func aStreamedThumbnailCostsThePixelsOfItsView() async throws {
            let sandbox = try Sandbox("stream-thumbnail")
            let rows = try await sandbox.rows([
                "--asset", "hero", "--rate", "60MiB", "--mode", "raw,data", "--render", "stream-thumbnail", "--view",
                "195x130@2",
            ])
            #expect(rows.map { $0["mode"] } == ["raw"])
            let row = try #require(rows.first)
            #expect(row["body_sha256"]?.count == 64)
            #expect(try row.number("peak_anonymous_growth_bytes") <= 4 * 390 * 260 + 1_048_576)
            let report = try sandbox.onlyRun().text(of: "report.md")
            #expect(report.contains("a view of 390x260 pixels"))
            #expect(report.contains("--view 390x260"), "the command that measures it again")
            #expect(report.contains("mode data holds the body in memory"), "data cannot")
        }

        @Test func picturesShownWithinTheFetchAreStillVerified() async throws {
            let sandbox = try Sandbox("at-once")
            let rows = try await sandbox.rows([
                "--asset", "hero", "--rate", "60MiB", "--mode", "data,download", "--render", "thumbnail", "--display",
                "verified,at-once",
            ])
            #expect(rows.count == 4)
            for row in rows {
                #expect(row["body_sha256"]?.count == 64, "a body that was let go of is verified, too")
                #expect(
                    (try row.number("render_cpu_ns") < 20e6) == (row["display"] == "at-once"),
                    "decoding takes over 50 ms of CPU")
            }
        }
    }
}
