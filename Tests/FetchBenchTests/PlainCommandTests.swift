// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// A command that fetches nothing can do what a mode can: every verb takes it.
    @Suite struct PlainCommands {
        /// A file whose lines `sort` holds in memory, and words that only a fetch has.
        private func sandbox() throws -> Sandbox {
            let sandbox = try Sandbox("plain")
            var number: UInt64 = 1
            let lines = (0..<150_000).map { _ in
                number = number &* 6_364_136_223_846_793_005 &+ 1
                return String(number)
            }
            try sandbox.write(lines.joined(separator: "\n") + "\n", to: "big.txt")
            return sandbox
        }

        private func expectNoFetch(_ ended: Ended, _ verb: String) {
            for word in ["hero", "fetch path", "phase", "{file}", "--asset", "--rate", "copies"] {
                #expect(!(ended.output + ended.complaint).contains(word), "\(verb): \(word): \(ended.output)")
            }
        }

        @Test func itIsRunInterruptedGoneOnWithAndReported() async throws {
            let sandbox = try sandbox()
            let process = try sandbox.start(["exec", "sort big.txt", "true", "--trials", "12", "--output", "stored"])
            let log = { sandbox.runFolders(in: "stored").first.map { $0 + "/trials.jsonl" } ?? "" }
            let count = { FileManager.default.contents(atPath: log())?.count { $0 == UInt8(ascii: "\n") } ?? 0 }
            #expect(try await eventually(within: 60) { count() >= 3 })
            process.send(SIGINT)
            let interrupted = try await process.end(within: 30)
            #expect(interrupted.status == 130 && interrupted.complaint.contains("fetchbench exec --resume stored/"))
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            let kept = count()
            #expect(kept < 24)
            let resumed = try await sandbox.fetchbench("exec", "--resume", folder)
            #expect(resumed.status == 0 && resumed.output.contains("sort big.txt"), "\(resumed.complaint)")
            expectNoFetch(resumed, "exec")
            #expect(count() == 24 && sandbox.runFolders(in: "stored").count == 1)
            let page = try await sandbox.fetchbench("report", folder, "--format", "html")
            #expect(page.status == 0 && page.output.contains("<svg") && page.output.contains("sort big.txt"))
            // Sections and columns that only a fetch fills.
            for mark in ["id=\"answer\"", "id=\"slopes\"", "id=\"cases\"", "fetch ms"] {
                #expect(!page.output.contains(mark), "\(mark)")
            }
            #expect(page.output.contains("id=\"trials\"") && page.output.contains("id=\"spread\""))
            let sampled = try StoredRun(folder).table("samples.csv").rows.compactMap { $0["trial"] }
            #expect(Set(sampled).count >= 12, "what it held over time is stored as of a mode")
        }

        @Test func itIsExplained() async throws {
            let sandbox = try sandbox()
            let explained = try await sandbox.fetchbench("explain", "--exec", "x=sort big.txt", "--format", "json")
            #expect(explained.status == 0, "\(explained.complaint)")
            #expect(explained.output.contains("x/glibc"))
            expectNoFetch(explained, "explain")
            let exec = try await sandbox.fetchbench("exec", "sort big.txt", "--trials", "1", "--explain")
            #expect(exec.status == 0 && exec.output.contains("the kernel's figure"), "\(exec.complaint)")
        }

        @Test func twoOfThemAreCompared() async throws {
            let sandbox = try sandbox()
            let compared = try await sandbox.fetchbench(
                "compare", "--base-exec", "sort -S 1M big.txt", "--head-exec", "sort -S 20M big.txt", "--no-explain",
                within: 200)
            #expect(compared.status == 1, "\(compared.output)\(compared.complaint)")
            #expect(compared.output.contains("moved: command"))
            expectNoFetch(compared, "compare")
        }

        @Test func aSuiteHoldsThemToBudgetsAndTheirParametersAreADimension() async throws {
            let sandbox = try sandbox()
            let suite = """
                name: sorts
                exec: ['sort=sort -S {size} big.txt', 'true=true']
                parameters: ['size=1M,20M']
                trials: 2
                budgets: ['true: peak <= 2 MiB', 'sort/glibc/size=1M: peak <= 6 MiB', 'sort: peak <= 6 MiB']
                """
            try sandbox.write(suite, to: "sorts.yml")
            let checked = try await sandbox.fetchbench("check", "--suite", "sorts.yml", "--no-baseline")
            #expect(checked.status == 1, "\(checked.output)\(checked.complaint)")
            expectNoFetch(checked, "check")
            let over = checked.output.split(separator: "\n").filter { $0.hasPrefix("over budget  ") }
            #expect(over.count == 1 && over[0].contains("sort/glibc/size=20M"), "\(checked.output)")
            let rows = try sandbox.onlyRun().rows(ofMode: "sort")
            #expect(Set(rows.compactMap { $0["parameters"] }) == ["size=1M", "size=20M"])
        }

        @Test func theMachineIsCalibratedWithOne() async throws {
            let sandbox = try sandbox()
            let ended = try await sandbox.fetchbench("calibrate", "--exec", "x=sort big.txt", "--pairs", "4")
            #expect(ended.status == 0 && ended.output.contains("x/glibc"), "\(ended.complaint)")
            expectNoFetch(ended, "calibrate")
        }

        @Test func aFirstSuiteOfThemIsWrittenAndHolds() async throws {
            let sandbox = try sandbox()
            let made = try await sandbox.fetchbench("init", "--exec", "sort=sort big.txt", "--ci", "none")
            #expect(made.status == 0)
            let checked = try await sandbox.fetchbench("check", "--suite", "fetchbench.yml", "--trials", "2")
            #expect(checked.status == 0, "\(checked.output)\(checked.complaint)")
        }

        @Test func itStandsBesideModes() async throws {
            let sandbox = try sandbox()
            let ended = try await sandbox.fetchbench(
                "run", "--mode", "raw", "--exec", "x=sort big.txt", "--asset", "64KiB", "--trials", "1")
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "raw").count == 1 && run.rows(ofMode: "x").map { $0["asset"] } == ["none"])
            #expect(try run.record().warnings.isEmpty, "nothing is missed of what it was never to fetch")
        }

        @Test(arguments: [
            (["--exec", "x=true", "--asset", "1MiB"], "--asset"),
            (["--exec", "x=true", "--url", "http://a/b"], "--url"),
            (["--exec", "x=true", "--render", "none"], "--render"), (["--exec", "x=true", "--rate", "1MiB"], "--rate"),
            (["--exec", "x=true", "--scenario", "repeat"], "--scenario"),
            (["--exec", "x=true", "--concurrency", "2"], "--concurrency"),
            (["--exec", "x=cat {file}"], "{file}"), (["--exec", "x=cat {ca}"], "{ca}"),
            (["--exec", "x=true", "-L", "n=1,2"], "{n}"),
        ])
        func optionsOfFetchesAreRefusedByName(words: [String], name: String) async throws {
            let sandbox = try Sandbox("usage")
            let ended = try await sandbox.fetchbench(["run"] + words, within: 20)
            #expect(ended.status == 64 && ended.complaint.contains(name), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func aSuiteOfTheOldFormIsToldTheNewOne() async throws {
            let sandbox = try Sandbox("old")
            let suite = "name: old\nassets: [hero]\nexec: ['x=true']\nbudgets: ['hero/x/none/glibc: peak <= 9 MiB']\n"
            try sandbox.write(suite, to: "old.yml")
            let ended = try await sandbox.fetchbench("check", "--suite", "old.yml")
            #expect(ended.status == 64 && ended.complaint.contains("'assets'"), "\(ended.complaint)")
            #expect(ended.complaint.contains("'x: peak <= "))
        }
    }
}
