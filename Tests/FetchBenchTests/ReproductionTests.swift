// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// Every command line that is printed to be repeated, given to a shell, measures the same again.
    @Suite struct Reproductions {
        /// Every flag of a plan, none of them with its usual value, but for those that need another plan.
        private static let flags = [
            "--asset", "1.5KiB,text-2KiB", "--mode", "stream,data", "--render", "none", "--allocator", "glibc-pinned",
            "--concurrency", "2", "--max-connections", "3", "--consumer-delay", "1us", "--session", "default",
            "--transfer", "chunked", "--chunk", "none,16", "--scheme", "https", "--http", "1.1,2", "--start", "cold",
            "--scenario",
            "none,repeat:2", "--loader", "best,naive", "--display", "verified,at-once", "--view", "390x260@2",
            "--max-pixels", "200000000", "--max-decode-memory", "1GiB",
            "--trials", "2", "--seed", "7", "--rate", "1GiB", "--latency", "3ms",
            "--destination", "same,other", "--destination-folder", "/dev/shm", "--timeout", "7.5", "--memory-limit",
            "3GiB", "--verify", "length", "--program",
            BuiltBinary.neighbour("trial-raw"),
        ]

        /// Flags that say nothing about what is measured, say it in another way, or have a test of their own: those of a
        /// foreign URL, and the limit of a container, which not every machine can set.
        private static let others: Set<String> = [
            "--profile", "--header", "--request-method", "--body", "--no-reference", "--suite", "--url", "--exec",
            "--output", "--resume",
            "--label", "--quiet", "--progress", "--no-progress",
            "--version", "--help", "--explain", "--budget", "--color", "--cacert", "--allocator-series",
            "--container-limit", "--shard", "--plan",
        ]

        private func line(of run: StoredRun) throws -> String {
            let lines = try run.text(of: "report.md").split(separator: "\n")
            let line = lines.first { $0.hasPrefix("    fetchbench run ") }
            return try #require(line).trimmingCharacters(in: .whitespaces)
        }

        private func expectTheSameAgain(_ sandbox: Sandbox) async throws {
            let run = try sandbox.onlyRun()
            let line = try line(of: run)
            let again = try await sandbox.shell(line + " --output again")
            #expect(again.status == 0, "\(line): \(again.complaint)")
            let repeated = try sandbox.onlyRun(in: "again")
            #expect(try PlanOfRun(repeated) == PlanOfRun(run), "\(line)")
            #expect(try self.line(of: repeated) == line)
        }

        @Test func everyFlagOfAPlanIsRepeated() async throws {
            let sandbox = try Sandbox("flags")
            let help = try await sandbox.fetchbench("run", "--help")
            let known = help.output.matches(of: /(?m)^ +(--[a-z-]+)/).map { String($0.output.1) }
            let unrepeated = Set(known).subtracting(Self.flags).subtracting(Self.others)
            #expect(known.count > 20 && unrepeated.isEmpty, "give \(unrepeated) here another value than its usual one")
            try await sandbox.fetchbench(["run"] + Self.flags, status: 0)
            let line = try line(of: sandbox.onlyRun())
            for flag in Self.flags where flag.hasPrefix("--") { #expect(line.contains(" \(flag) "), "\(line)") }
            try await expectTheSameAgain(sandbox)
        }

        /// Commands in folders of the user, with everything that a shell and the harness take for something.
        private func commands(in sandbox: Sandbox) throws -> [String] {
            let script = "exec curl -q -s --noproxy '*' -o \"$2\" \"$1\"\n"
            let places = [
                sandbox.home + "/my tools/it's $5.sh", sandbox.work + "/here.sh", sandbox.temporary + "/t.sh",
            ]
            try FileManager.default.createDirectory(
                atPath: sandbox.home + "/my tools", withIntermediateDirectories: false)
            for place in places { try Data(script.utf8).write(to: URL(fileURLWithPath: place)) }
            return [
                "home=sh \"\(places[0])\" {url} {file}", "work=sh \(places[1]) {url} {file}",
                "temporary=sh '\(places[2])' {url} {file}",
                #"inline=sh -c 'exec curl -q -s --noproxy "*" -o "$2" "$1"' "it's; ~" {url} {file}"#,
            ]
        }

        @Test func commandsWithQuotesAndFoldersOfTheUserAreRepeated() async throws {
            let sandbox = try Sandbox("commands")
            let commands = try commands(in: sandbox).flatMap { ["--exec", $0] }
            try await sandbox.fetchbench(
                ["run", "--asset", "4KiB", "--render", "none", "--trials", "1"] + commands, status: 0)
            let run = try sandbox.onlyRun()
            #expect(try PlanOfRun(run).commands.count == 4)
            for file in run.files { #expect(try !run.text(of: file).contains(sandbox.path), "\(file) names a folder") }
            try await expectTheSameAgain(sandbox)
        }

        @Test func aFindingIsRepeatedUnderTheSameSettings() async throws {
            let sandbox = try Sandbox("finding")
            let suite = SmallSuite(budgets: ["*/home/*: peak <= 1 B"], commands: [try commands(in: sandbox)[0]])
            let (ended, judgement) = try await sandbox.check(
                suite, "--no-baseline", "--timeout", "7.5", "--verify", "length", "--seed", "9")
            #expect(ended.status == 1, "\(ended.complaint)")
            let line = try #require(judgement?.findings.first?.reproduce)
            #expect(line.contains(" --trials 30 ") && !line.contains(sandbox.path), "\(line)")
            let run = try sandbox.onlyRun()
            let again = try await sandbox.shell(line.replacing("--trials 30", with: "--trials 1 --output again"))
            #expect(again.status == 0, "\(line): \(again.complaint)")
            let (plan, repeated) = (try PlanOfRun(run), try PlanOfRun(sandbox.onlyRun(in: "again")))
            #expect(repeated.settings == plan.settings && repeated.seed == 9)
            #expect(repeated.commands == [plan.commands[1]])
            let cell = try #require(plan.cases.first { $0["mode"] as? String == "home" })
            #expect(repeated.cases.contains(cell))
        }

        @Test func bothCommandsOfAComparisonAreRepeated() async throws {
            let sandbox = try Sandbox("comparison")
            let base = "sh \"\(sandbox.home)/it's gone\" {url}"
            let head = "sh -c 'exit 3' \(sandbox.work)/x {url}"
            let ended = try await sandbox.fetchbench(
                "compare", "--asset", "4KiB", "--render", "none", "--timeout", "7.5", "--verify", "length",
                "--base-exec", base, "--head-exec", head, "--format", "json", status: 2)
            let line = try #require(try StoredJudgement(ended.output).findings.first?.reproduce)
            #expect(!line.contains(sandbox.path), "\(line)")
            let words = try await sandbox.words(of: line)
            #expect(words.prefix(5) == ["compare", "--base-exec", base, "--head-exec", head])
            for pair in [["--asset", "4KiB"], ["--timeout", "7.5"], ["--verify", "length"]] {
                #expect(words.contains(pair), "\(line)")
            }
        }
    }
}
