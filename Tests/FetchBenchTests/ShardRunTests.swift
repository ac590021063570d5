// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// Parts of a plan, measured by the built program one after another as an engine would start them.
    @Suite struct Shards {
        private static let plan = [
            "run", "--asset", "1MiB", "--mode", "data,download,stream,raw", "--render", "none", "--allocator", "glibc",
            "--quiet",
        ]

        private func measure(
            _ shards: ClosedRange<Int>, of count: Int, _ plan: [String] = Self.plan, to output: String = "shards",
            in sandbox: Sandbox
        ) async throws {
            for number in shards {
                let ended = try await sandbox.fetchbench(
                    plan + ["--shard", "\(number)/\(count)", "--output", output], status: 0,
                    environment: ["FETCHBENCH_HOST": "node-\(number % 3)"])
                #expect(ended.output.isEmpty || ["run", "exec"].contains(plan[0]), "judged too early: \(ended.output)")
            }
        }

        private func merge(_ folders: [String], _ words: String..., to output: String, in sandbox: Sandbox) async throws
            -> Ended
        {
            try await sandbox.fetchbench(["merge"] + folders + words + ["--output", output])
        }

        @Test func fourShardsAreTheUnshardedRun() async throws {
            let sandbox = try Sandbox("shards")
            try await sandbox.fetchbench(Self.plan + ["--trials", "2", "--output", "whole"], status: 0)
            try await measure(1...3, of: 4, Self.plan + ["--trials", "2"], in: sandbox)
            try await measureTheMissingShard(in: sandbox)
            let (first, second) = (try sandbox.onlyRun(in: "whole"), try StoredRun(sandbox.work + "/merged"))
            #expect(try first.trials().map(\.trial) == second.trials().map(\.trial))
            #expect(try first.trials().map(\.case) == second.trials().map(\.case))
            #expect(first.files.union(["plan.json"]) == second.files)
            #expect(second.logLines().allSatisfy { $0.contains("\"host\":\"") })
            try second.expectSeries()
        }

        /// Merges what is there, measures the shard that is missing by the command that is printed, and merges all.
        private func measureTheMissingShard(in sandbox: Sandbox) async throws {
            let part = try await merge(sandbox.runFolders(in: "shards"), to: "part", in: sandbox)
            #expect(part.status == 2 && part.complaint.contains("shard 4/4"), "\(part.complaint)")
            #expect(part.output.contains("missing"))
            let command = try #require(part.complaint.firstMatch(of: /(fetchbench run .* --shard 4\/4)/)).output.1
            let named = try await sandbox.shell("\(command) --output shards --quiet")
            #expect(named.status == 0, "\(named.complaint)")
            let merged = try await merge(["part", sandbox.runFolders(in: "shards")[3]], to: "merged", in: sandbox)
            #expect(merged.status == 0, "\(merged.complaint)")
            #expect(try StoredRun(sandbox.work + "/merged").record().finishedAt != nil)
            let again = try await merge(["part"], to: "merged", in: sandbox)
            #expect(again.status == 2 && again.complaint.contains("exists"), "\(again.complaint)")
        }

        @Test func moreShardsThanFilesMayBeOpenAreMergedInParts() async throws {
            let sandbox = try Sandbox("files")
            try await measure(1...16, of: 16, Self.plan + ["--trials", "1"], in: sandbox)
            let folders = sandbox.runFolders(in: "shards")
            func merge(_ limit: String, _ folders: some Sequence<String>, _ output: String) async throws -> Ended {
                try await sandbox.shell(
                    "ulimit \(limit); fetchbench merge \(folders.joined(separator: " ")) --output \(output)")
            }
            let soft = try await merge("-S -n 40", folders, "soft")
            #expect(soft.status == 0, "a soft limit can be raised: \(soft.complaint)")
            let hard = try await merge("-n 40", folders, "hard")
            #expect(hard.status == 2 && hard.complaint.contains("ulimit -n"), "\(hard.complaint)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/hard"))
            for (name, part) in [("first", folders.prefix(8)), ("second", folders.suffix(8))] {
                #expect(try await merge("-n 40", part, name).status == 2, "the trials of the other part are missing")
            }
            let all = try await merge("-n 40", ["second", "first"], "all")
            #expect(all.status == 0, "\(all.complaint)")
            #expect(try StoredRun(sandbox.work + "/all").logLines() == StoredRun(sandbox.work + "/soft").logLines())
        }

        /// An engine that takes a node away sends SIGTERM, and starts the same command on another.
        @Test func aShardThatIsStoppedGoesOnElsewhere() async throws {
            let sandbox = try Sandbox("preempted")
            let words = Interrupts.plan + ["--shard", "1/1", "--output", "shards"]
            let process = try sandbox.start(words)
            let isUnderWay = try await eventually(within: 60) {
                guard process.isRunning else { return true }
                let lines = try sandbox.runFolders(in: "shards").first.map { try StoredRun($0).logLines() } ?? []
                return lines.count >= 3 && ProcessTable.processes(of: sandbox).contains { $0.isTrial }
            }
            try #require(isUnderWay && process.isRunning)
            // A second process for the same shard is to be tried again later.
            #expect(try await sandbox.fetchbench(words).status == 75)
            process.send(SIGTERM)
            let ended = try await process.end(within: 60)
            #expect(ended.status == 130, "\(ended.complaint)")
            let run = try sandbox.onlyRun(in: "shards")
            let kept = run.logLines()
            #expect(try run.trials().allSatisfy { $0.outcome.kind == "completed" } && kept.count < 12)
            #expect(try await ProcessTable.remaining(in: sandbox, after: 20) == [])
            try await sandbox.fetchbench(words, status: 0, environment: ["FETCHBENCH_HOST": "elsewhere"])
            #expect(try run.trials().map(\.trial) == Array(1...12))
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
            let hosts = run.logLines().compactMap { $0.firstMatch(of: /"host":"([0-9a-f]{12})"/)?.output.1 }
            #expect(hosts.count == 12 && Set(hosts).count == 2 && Set(hosts.prefix(kept.count)).count == 1)
        }

        @Test func aStoredPlanIsMeasuredInPartsAndRefusedOnceItIsEdited() async throws {
            let sandbox = try Sandbox("plan")
            let words = ["--asset", "64KiB", "--mode", "data,raw", "--render", "none", "--trials", "2", "--seed", "7"]
            // The second time the file is there.
            for status: Int32 in [0, 2] {
                let planned = try await sandbox.fetchbench(["plan", "--output", "plan.json"] + words, status: status)
                #expect(planned.output.isEmpty)
            }
            let estimate = try await sandbox.fetchbench(["plan", "--estimate"] + words, status: 0)
            let first = estimate.output.split(separator: "\n").dropFirst().first?.split(separator: " ").prefix(2)
            #expect(first == ["1", "6"], "\(estimate.output)")
            let text = try sandbox.text(of: "plan.json")
            // A shard of the plan's flags is one of the same plan.
            for plan in [["--plan", "plan.json"], words] {
                let ended = try await sandbox.fetchbench(
                    ["run", "--shard", "1/2", "--output", "shards", "--quiet"] + plan)
                #expect(ended.status == 0 && sandbox.runFolders(in: "shards").count == 1, "\(ended.complaint)")
            }
            try sandbox.write(text.replacing("\"seed\" : 7", with: "\"seed\" : 8"), to: "edited.json")
            let edited = try await sandbox.fetchbench("run", "--plan", "edited.json", "--output", "edited")
            #expect(edited.status == 2 && edited.complaint.contains("edited.json"), "\(edited.complaint)")
            #expect(sandbox.runFolders(in: "edited").isEmpty)
        }

        @Test func aCheckIsJudgedOnceItsShardsAreMerged() async throws {
            let sandbox = try Sandbox("check")
            // The command stays the same, and holds as much as a file says.
            let size = try sandbox.write("12", to: "size")
            let program = try sandbox.program("dd if=/dev/zero of=/dev/null bs=$(cat \(size))M count=1", named: "sized")
            let suite = SmallSuite(trials: 8, budgets: ["peak <= 1 GiB"], commands: ["sized=\(program) {url}"])
            try sandbox.write(suite.text, to: "suite.yml")
            try await sandbox.fetchbench(
                "check", "--suite", "suite.yml", "--baseline", "baseline.json", "--update", status: 0)
            for (mebibytes, status) in [(12, 0), (16, 1)] {
                try sandbox.write("\(mebibytes)", to: "size")
                let output = "shards-\(mebibytes)"
                try await measure(1...2, of: 2, ["check", "--suite", "suite.yml"], to: output, in: sandbox)
                let judged = try await merge(
                    sandbox.runFolders(in: output), "--baseline", "baseline.json", to: "merged-\(mebibytes)",
                    in: sandbox)
                #expect(judged.status == Int32(status), "\(judged.output) \(judged.complaint)")
                let judgement = try StoredJudgement(
                    StoredRun(sandbox.work + "/merged-\(mebibytes)").text(of: "judgement.json"))
                let moved = judgement.findings.filter { $0.verdict == "regressed" }
                #expect(status == 0 ? moved.isEmpty : moved.allSatisfy { $0.case.contains("/sized/") })
                #expect(moved.isEmpty == (status == 0))
                #expect(moved.allSatisfy { $0.reproduce?.hasPrefix("fetchbench run ") == true })
                #expect(judgement.findings.contains { $0.budget != nil })
            }
        }

        @Test func commandsAreMeasuredInShardsAndLimitedOnceTheyAreMerged() async throws {
            let sandbox = try Sandbox("commands")
            let commands = (1...3).map { "dd if=/dev/zero of=/dev/null bs=\($0 * 8)M count=1" }
            let words = ["exec"] + commands + ["--trials", "3", "--limit", "20MiB", "--quiet"]
            try await measure(1...2, of: 2, words, in: sandbox)
            let merged = try await merge(sandbox.runFolders(in: "shards"), to: "merged", in: sandbox)
            #expect(merged.status == 1 && merged.complaint.contains("bs=24M"), "\(merged.complaint)")
            let judged = try await merge(
                sandbox.runFolders(in: "shards"), "--allow-mismatch", to: "judged", in: sandbox)
            #expect(judged.status == 64 && judged.complaint.contains("shards of a check"), "\(judged.complaint)")
            let rows = try StoredRun(sandbox.work + "/merged").table("trials.csv").rows
            #expect(rows.count == 9 && Set(rows.map { $0["case"] }).count == 3)
            for row in rows {
                let word = try #require(row["case"]?.firstMatch(of: /bs=([0-9]+)M/)).output.1
                let size = try #require(Int(word))
                let peak = try row.number("peak_resident_bytes") / 1_048_576
                #expect((Double(size)..<Double(size) + 6).contains(peak), "\(row["case"] ?? ""): \(peak)")
            }
        }

        /// 256 KiB in the downloads of the head, measured in four shards by three hosts.
        @Test func aPlantedChangeIsFoundOverSeveralHosts() async throws {
            let sandbox = try Sandbox("planted")
            let words = [
                "compare", "--base", BuiltBinary.path, "--head", BuiltBinary.path, "--mode", "download", "--asset",
                "1MiB", "--render", "none", "--allocator", "glibc", "--rate", "unlimited", "--plant",
                "download=256KiB", "--quiet",
            ]
            try await measure(1...4, of: 4, words, in: sandbox)
            let folders = sandbox.runFolders(in: "shards")
            let part = try await merge(Array(folders.dropLast()), to: "part", in: sandbox)
            #expect(part.status == 2 && part.complaint.contains("shard 4/4"), "\(part.complaint)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/part/judgement.json"), "no verdict yet")
            let merged = try await merge(["part", folders[3]], to: "merged", in: sandbox)
            #expect(merged.status == 1, "\(merged.complaint)")
            let judgement = try StoredJudgement(StoredRun(sandbox.work + "/merged").text(of: "judgement.json"))
            let planted = 262_144.0
            for finding in judgement.memory {
                let isPlanted = finding.case.contains("/download/") && finding.part == "fetch_path"
                #expect(finding.verdict == (isPlanted ? "regressed" : "unchanged"), "\(finding)")
                let hosts = try #require(finding.overHosts)
                #expect(hosts.changes.count == 3 && hosts.mean != nil && hosts.decidedBy == nil)
                #expect(hosts.changes.reduce(0) { $0 + $1.headTrials } == 32)
                guard isPlanted else { continue }
                let change = try #require(finding.change)
                #expect(abs(change - planted) < planted / 10, "\(change)")
                let command = try #require(finding.reproduce)
                #expect(command.hasPrefix("fetchbench compare --base BASE --head HEAD --asset 1MiB --mode download "))
            }
            #expect(judgement.memory.count { $0.verdict == "regressed" } == 2)
        }
    }
}
