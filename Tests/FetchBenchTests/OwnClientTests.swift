// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let fixture = BuiltBinary.neighbour("own-client-fixture")

extension EndToEnd {
    @Suite struct OwnClients {
        private func run(_ sandbox: Sandbox, _ plan: [String]) async throws -> StoredRun {
            _ = try await sandbox.rows(["--program", fixture] + plan)
            return try sandbox.onlyRun()
        }

        private func verdict(on mode: String, in run: StoredRun) throws -> String {
            let rows = try run.text(of: "report.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            // The first table with such a column is that of the scenario.
            let head = try #require(rows.firstIndex { $0.contains("verdict") })
            let column = try #require(rows[head].firstIndex(of: "verdict"))
            return try #require(rows[head...].first { $0.contains(mode) }, "no row of \(mode)")[column]
        }

        /// Over as many repetitions as the scenario has by itself.
        @Test(.startsWaitingCommands) func aLeakIsToldFromACache() async throws {
            let sandbox = try Sandbox("keeps")
            defer { withExtendedLifetime(sandbox) {} }
            let run = try await run(
                sandbox,
                [
                    "--mode", "keeps-nothing,keeps-64-bytes,keeps-100-bodies", "--scenario", "repeat", "--allocator",
                    "glibc", "--timeout", "600",
                ])
            #expect(try verdict(on: "keeps-nothing", in: run) == "flat")
            let leak = try verdict(on: "keeps-64-bytes", in: run)
            let bytes = try #require(leak.wholeMatch(of: /leaks (\d+) B a request/)?.1, "\(leak)")
            #expect((60...68).contains(try #require(Int(bytes))))
            // 80 bodies of 64 KiB and their heads: 20 of the 100 came in the warm-up.
            let cache = try verdict(on: "keeps-100-bodies", in: run)
            #expect(cache.wholeMatch(of: /grows by (4\.9|5\.0) MiB, then flat/) != nil, "\(cache)")
        }

        /// The client blocks, each time on a thread of its own.
        @Test func itPlaysConcurrencyAndItsOwn() async throws {
            let sandbox = try Sandbox("plays")
            defer { withExtendedLifetime(sandbox) {} }
            let run = try await run(
                sandbox,
                ["--mode", "keeps-nothing", "--asset", "1MiB", "--scenario", "concurrency:5x2,questions"])
            let rows = try run.rows(ofMode: "keeps-nothing")
            #expect(rows.map { $0["outcome"] } == ["completed", "completed"])
            let slots = try #require(rows.first { $0["scenario"] == "concurrency:5x2" })
            #expect(try slots.number("most_downloads_ratio") == 5 && slots.number("scenario_requests") == 20)
            // Each of 200 tasks asks its companion at the same time, and gets its own answer.
            let questions = try #require(rows.first { $0["scenario"] == "questions" })
            #expect(try questions.number("right_answers") == 200)
        }

        /// On a machine with fewer processors than slots.
        @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount < 10))
        func aModeThatBlocksWithoutDeclaringItIsRemarked() async throws {
            let sandbox = try Sandbox("blocks")
            defer { withExtendedLifetime(sandbox) {} }
            let run = try await run(
                sandbox,
                ["--mode", "blocking-undeclared,keeps-nothing", "--asset", "256KiB", "--scenario", "concurrency:10x1"])
            let lines = try run.text(of: "report.md").split(separator: "\n")
            let remarks = lines.filter { $0.contains("block its thread?") }
            #expect(remarks.count == 1 && remarks.allSatisfy { $0.contains("blocking-undeclared") }, "\(remarks)")
        }
    }

    /// Figures that a program in another language declares: the harness knows none of them by name.
    @Suite struct DeclaredFigures {
        private static let folder = BuiltBinary.package + "/Examples/protocol-in-python"
        private static let program = folder + "/scenario_program.py"

        private func suite(_ budgets: [String], scenario: String = "revisit:20") -> String {
            """
            programs: [\(Self.program)]
            modes: [python-read]
            renders: [none]
            assets: [64KiB]
            scenarios: ["\(scenario)"]
            trials: 3
            budgets: \(budgets)
            """
        }

        @Test func theyAreColumnsWordsOfBudgetsAndVerdicts() async throws {
            let sandbox = try Sandbox("declared")
            for (budgets, status) in [
                (["cache_hits >= 20"], Int32(1)), (["cache_hits >= 19", "median(cache_hit_ratio) >= 0.95"], 0),
            ] {
                try sandbox.write(suite(budgets), to: "own.yml")
                let ended = try await sandbox.fetchbench(
                    "check", "--suite", "own.yml", "--no-baseline", "--output", "\(status)", status: status)
                #expect(status == 0 || ended.output.contains("cache_hits"), "\(ended.output)")
            }
            let run = try sandbox.onlyRun(in: "0")
            let rows = try run.rows(ofMode: "python-read")
            #expect(try rows.map { try $0.number("cache_hits") } == [19, 19, 19])
            #expect(try rows.map { try $0.number("cache_hit_ratio") } == [0.95, 0.95, 0.95])
            let report = try run.text(of: "report.md")
            #expect(report.contains("how often does the cache answer?") && report.contains("nothing wrong"))
        }
    }
}
