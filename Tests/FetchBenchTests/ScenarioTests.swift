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
}
