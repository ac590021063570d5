// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Statistics
import TestSupport
import Testing

extension Conduct {
    /// Parts of a plan, measured by the built program one after another as an engine would start them.
    @Suite struct Shards {
        private static let plan = [
            "run", "--asset", "1MiB", "--mode", "data,download,stream,raw", "--render", "none", "--allocator", "glibc",
            "--quiet",
        ]

        private func measure(
            _ shards: ClosedRange<Int>, of count: Int, trials: Int, in sandbox: Sandbox
        ) async throws {
            for number in shards {
                let ended = try await sandbox.fetchbench(
                    Self.plan + ["--trials", "\(trials)", "--shard", "\(number)/\(count)", "--output", "shards"],
                    environment: ["FETCHBENCH_HOST": "node-\(number % 3)"])
                #expect(ended.status == 0, "\(ended.complaint)")
            }
        }

        /// The values of a metric by mode.
        private func values(_ metric: String, in run: StoredRun) throws -> [String: [Double]] {
            try run.table("trials.csv").rows.reduce(into: [:]) { values, row in
                values[row["mode"] ?? "", default: []].append(try row.number(metric))
            }
        }

        @Test func fourShardsAreTheUnshardedRun() async throws {
            let trials = 9
            // A stream holds what its reader has no time for: on a busy machine the two runs are of different machines.
            let sandbox = try await undisturbed(attempts: 3) { _ in
                let sandbox = try Sandbox("shards")
                let whole = try await sandbox.fetchbench(Self.plan + ["--trials", "\(trials)", "--output", "whole"])
                #expect(whole.status == 0, "\(whole.complaint)")
                try await measure(1...4, of: 4, trials: trials, in: sandbox)
                let merged = try await sandbox.fetchbench(
                    ["merge"] + sandbox.runFolders(in: "shards") + ["--output", "merged"])
                #expect(merged.status == 0, "\(merged.complaint)")
                return sandbox
            } if: {
                try self.medians(in: $0).allSatisfy { $0.interval.contains($0.median) }
            }
            let (first, second) = (try sandbox.onlyRun(in: "whole"), try StoredRun(sandbox.work + "/merged"))
            #expect(try first.trials().map(\.trial) == second.trials().map(\.trial))
            #expect(try first.trials().map(\.case) == second.trials().map(\.case))
            #expect(first.files.union(["plan.json"]) == second.files)
            #expect(second.logLines().allSatisfy { $0.contains("\"host\":\"") })
            try second.expectSeries()
            let medians = try self.medians(in: sandbox)
            #expect(medians.count == 10)
            for (mode, median, interval) in medians {
                #expect(interval.contains(median), "\(mode): \(median), not within \(interval)")
            }
        }

        /// The median of each mode in one run with its interval in the other, both ways.
        private func medians(
            in sandbox: Sandbox
        ) throws -> [(mode: String, median: Double, interval: ClosedRange<Double>)] {
            let metric = "net_peak_growth_bytes"
            let whole = try values(metric, in: sandbox.onlyRun(in: "whole"))
            let merged = try values(metric, in: StoredRun(sandbox.work + "/merged"))
            return try whole.flatMap { mode, values in
                let (one, other) = (values.sorted(), (merged[mode] ?? []).sorted())
                return try [(one, other), (other, one)].map { sorted, others in
                    let interval = try #require(MedianInterval.interval(ofSorted: sorted, confidence: 0.99))
                    // Memory comes in pages: an interval of one value is as wide as the page that it is rounded to.
                    return (mode, others[others.count / 2], interval.lowerBound - 4096...interval.upperBound + 4096)
                }
            }
        }

        @Test func missingShardsAreNamedWithTheCommandThatMeasuresThem() async throws {
            let sandbox = try Sandbox("missing")
            try await measure(1...2, of: 3, trials: 1, in: sandbox)
            let merge = ["merge"] + sandbox.runFolders(in: "shards") + ["--output"]
            let part = try await sandbox.fetchbench(merge + ["part"])
            #expect(part.status == 2 && part.complaint.contains("shard 3/3"), "\(part.complaint)")
            #expect(part.output.contains("missing"))
            let words = try #require(part.complaint.firstMatch(of: /fetchbench (run .* --shard 3\/3)/)).output.1
            let named = try await sandbox.fetchbench(
                words.split(separator: " ").map(String.init) + ["--output", "shards", "--quiet"])
            #expect(named.status == 0, "\(named.complaint)")
            let all = try await sandbox.fetchbench(
                ["merge", "part"] + sandbox.runFolders(in: "shards") + ["--output", "all"])
            #expect(all.status == 0, "\(all.complaint)")
            #expect(try StoredRun(sandbox.work + "/all").record().finishedAt != nil)
            let again = try await sandbox.fetchbench(merge + ["all"])
            #expect(again.status == 2 && again.complaint.contains("exists"), "\(again.complaint)")
        }

        @Test func aMergeThatFindsNoRoomLeavesNothing() async throws {
            let sandbox = try Sandbox("room")
            try await measure(1...2, of: 2, trials: 3, in: sandbox)
            let folders = sandbox.runFolders(in: "shards").joined(separator: " ")
            // Less than the log takes; without the trap the limit would kill.
            let ended = try await sandbox.shell(
                "trap '' XFSZ; ulimit -f 20; fetchbench merge \(folders) --output merged")
            #expect(ended.status == 2 && ended.complaint.contains("File too large"), "\(ended.complaint)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/merged"))
        }

        @Test func moreShardsThanFilesMayBeOpenAreMergedInParts() async throws {
            let sandbox = try Sandbox("files")
            try await measure(1...16, of: 16, trials: 1, in: sandbox)
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
            let again = try await sandbox.fetchbench(words, environment: ["FETCHBENCH_HOST": "elsewhere"])
            #expect(again.status == 0, "\(again.complaint)")
            #expect(try run.trials().map(\.trial) == Array(1...12))
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
            let hosts = run.logLines().compactMap { $0.firstMatch(of: /"host":"([0-9a-f]{12})"/)?.output.1 }
            #expect(hosts.count == 12 && Set(hosts).count == 2 && Set(hosts.prefix(kept.count)).count == 1)
            // Nothing is left to measure, which is a success.
            let lines = run.logLines()
            let last = try await sandbox.fetchbench(words)
            #expect(last.status == 0 && run.logLines() == lines, "\(last.complaint)")
        }

        @Test func aStoredPlanIsMeasuredInPartsAndRefusedOnceItIsEdited() async throws {
            let sandbox = try Sandbox("plan")
            let words = ["--asset", "64KiB", "--mode", "data,raw", "--render", "none", "--trials", "2", "--seed", "7"]
            let planned = try await sandbox.fetchbench(["plan", "--output", "plan.json"] + words)
            #expect(planned.status == 0 && planned.output.isEmpty, "\(planned.complaint)")
            let printed = try await sandbox.fetchbench(["plan"] + words)
            let text = try String(contentsOfFile: sandbox.work + "/plan.json", encoding: .utf8)
            #expect(printed.output == text)
            for number in 1...2 {
                let ended = try await sandbox.fetchbench(
                    "run", "--plan", "plan.json", "--shard", "\(number)/2", "--output", "shards", "--quiet")
                #expect(ended.status == 0, "\(ended.complaint)")
            }
            let whole = try await sandbox.fetchbench(["run", "--output", "whole"] + words)
            #expect(whole.status == 0, "\(whole.complaint)")
            let merged = try await sandbox.fetchbench(
                ["merge"] + sandbox.runFolders(in: "shards") + ["--output", "merged"])
            #expect(merged.status == 0, "\(merged.complaint)")
            let (first, second) = (try sandbox.onlyRun(in: "whole"), try StoredRun(sandbox.work + "/merged"))
            #expect(try first.trials().map(\.case) == second.trials().map(\.case))
            // A shard of the plan's flags is one of the same plan.
            let again = try await sandbox.fetchbench(["run", "--shard", "1/2", "--output", "shards"] + words)
            #expect(again.status == 0 && sandbox.runFolders(in: "shards").count == 2, "\(again.complaint)")
            for (old, new) in [("\"seed\" : 7", "\"seed\" : 8"), ("\"trials\" : 2", "\"trials\" : 0"), ("{", "[")] {
                try sandbox.write(text.replacing(old, with: new), to: "edited.json")
                let edited = try await sandbox.fetchbench("run", "--plan", "edited.json", "--output", "edited")
                #expect(edited.status == 2 && edited.complaint.contains("edited.json"), "\(edited.complaint)")
            }
            let both = try await sandbox.fetchbench("run", "--plan", "plan.json", "--mode", "raw")
            #expect(both.status == 64 && both.complaint.contains("--plan"))
            #expect(sandbox.runFolders(in: "edited").isEmpty)
        }

        @Test func anEstimateHasTheTimesOfMoreAndMoreShards() async throws {
            let sandbox = try Sandbox("estimate")
            let ended = try await sandbox.fetchbench(
                "plan", "--estimate", "--asset", "64KiB", "--mode", "data,download,raw", "--render", "none",
                "--allocator", "glibc", "--trials", "100")
            #expect(ended.status == 0, "\(ended.complaint)")
            let rows = ended.output.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map(String.init) }
            #expect(rows.map { $0.prefix(2) } == [["1", "400"], ["2", "200"], ["4", "100"]])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func aCheckIsJudgedOnceItsShardsAreMerged() async throws {
            let sandbox = try Sandbox("check")
            // The command stays the same, and holds as much as a file says.
            let size = try sandbox.write("12", to: "size")
            let program = try sandbox.program("dd if=/dev/zero of=/dev/null bs=$(cat \(size))M count=1", named: "sized")
            let suite = SmallSuite(trials: 8, budgets: ["peak <= 1 GiB"], commands: ["sized=\(program) {url}"])
            try sandbox.write(suite.text, to: "suite.yml")
            let stored = try await sandbox.fetchbench(
                "check", "--suite", "suite.yml", "--baseline", "baseline.json", "--update")
            #expect(stored.status == 0, "\(stored.complaint)")
            for (mebibytes, status) in [(12, 0), (16, 1)] {
                try sandbox.write("\(mebibytes)", to: "size")
                let output = "shards-\(mebibytes)"
                for number in 1...2 {
                    let ended = try await sandbox.fetchbench(
                        "check", "--suite", "suite.yml", "--shard", "\(number)/2", "--output", output)
                    #expect(ended.status == 0 && ended.output.isEmpty, "\(ended.complaint)")
                }
                let merge = ["merge"] + sandbox.runFolders(in: output)
                let judged = try await sandbox.fetchbench(
                    merge + ["--baseline", "baseline.json", "--output", "merged-\(mebibytes)"])
                #expect(judged.status == Int32(status), "\(judged.output) \(judged.complaint)")
                let judgement = try StoredJudgement(
                    StoredRun(sandbox.work + "/merged-\(mebibytes)").text(of: "judgement.json"))
                let moved = judgement.findings.filter { $0.verdict == "regressed" }
                #expect(status == 0 ? moved.isEmpty : moved.allSatisfy { $0.case.contains("/sized/") })
                #expect(moved.isEmpty == (status == 0))
                #expect(moved.allSatisfy { $0.reproduce?.hasPrefix("fetchbench run ") == true })
                #expect(judgement.findings.contains { $0.budget != nil })
                let alone = try await sandbox.fetchbench(merge + ["--output", "budgets-\(mebibytes)"])
                #expect(alone.status == 0, "by its budgets alone: \(alone.output)")
            }
            let nowhere = try await sandbox.fetchbench(
                ["merge"] + sandbox.runFolders(in: "shards-12") + ["--baseline", "nowhere.json", "--output", "x"])
            #expect(nowhere.status == 2 && !FileManager.default.fileExists(atPath: sandbox.work + "/x"))
        }

        @Test func commandsAreMeasuredInShardsAndLimitedOnceTheyAreMerged() async throws {
            let sandbox = try Sandbox("commands")
            let commands = (1...3).map { "dd if=/dev/zero of=/dev/null bs=\($0 * 8)M count=1" }
            let words = ["exec"] + commands + ["--trials", "3", "--limit", "20MiB", "--quiet"]
            let alone = try await sandbox.fetchbench(words + ["--shard", "1/2"])
            #expect(alone.status == 64 && alone.complaint.contains("--output"), "\(alone.complaint)")
            for number in 1...2 {
                let ended = try await sandbox.fetchbench(words + ["--shard", "\(number)/2", "--output", "shards"])
                #expect(ended.status == 0, "\(ended.complaint)")
            }
            let merged = try await sandbox.fetchbench(
                ["merge"] + sandbox.runFolders(in: "shards") + ["--output", "merged"])
            #expect(merged.status == 1 && merged.complaint.contains("bs=24M"), "\(merged.complaint)")
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
                "compare", "--base", BuiltBinary.path, "--head", BuiltBinary.path, "--mode", "download,raw", "--asset",
                "1MiB", "--render", "none", "--allocator", "glibc", "--rate", "unlimited", "--plant",
                "download=256KiB", "--quiet", "--output", "shards",
            ]
            for number in 1...4 {
                let ended = try await sandbox.fetchbench(
                    words + ["--shard", "\(number)/4"], environment: ["FETCHBENCH_HOST": "node-\(number % 3)"])
                #expect(ended.status == 0 && ended.output.isEmpty, "\(ended.complaint)")
            }
            let folders = sandbox.runFolders(in: "shards")
            let part = try await sandbox.fetchbench(["merge"] + folders.dropLast() + ["--output", "part"])
            #expect(part.status == 2 && part.complaint.contains("shard 4/4"), "\(part.complaint)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/part/judgement.json"), "no verdict yet")
            let merged = try await sandbox.fetchbench(["merge", "part", folders[3], "--output", "merged"])
            #expect(merged.status == 1, "\(merged.complaint)")
            let judgement = try StoredJudgement(StoredRun(sandbox.work + "/merged").text(of: "judgement.json"))
            let planted = 262_144.0
            for finding in judgement.findings {
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
            #expect(judgement.findings.count { $0.verdict == "regressed" } == 2)
            #expect(try await sandbox.fetchbench("report", "merged", "--format", "markdown").status == 0)
        }

        @Test(arguments: [["--shard", "9/8"], ["--shard", "auto"], ["--shard", "1/2", "--resume", "results/x"]])
        func wrongPartsAreUsageErrors(words: [String]) async throws {
            let sandbox = try Sandbox("wrong")
            let ended = try await sandbox.fetchbench(["run", "--mode", "raw"] + words)
            #expect(ended.status == 64 && ended.complaint.contains("--shard"), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func failedTrialsAreNoAnswerOnceTheyAreMerged() async throws {
            let sandbox = try Sandbox("failing")
            for number in 1...2 {
                let ended = try await sandbox.fetchbench(
                    "run", "--exec", "right=true", "--exec", "wrong=false", "--allocator", "glibc", "--trials", "3",
                    "--shard", "\(number)/2", "--output", "shards", "--quiet")
                #expect(ended.status == 0 || ended.status == 2, "\(ended.complaint)")
            }
            let merged = try await sandbox.fetchbench(
                ["merge"] + sandbox.runFolders(in: "shards") + ["--output", "merged"])
            #expect(merged.status == 2 && merged.output.contains("failed: wrong"), "\(merged.output)")
            #expect(!merged.complaint.contains("lacks"), "a failed command has no further trials: none is missing")
        }

        @Test func aRunThatIsNoShardIsNotMerged() async throws {
            let sandbox = try Sandbox("unsharded")
            let whole = try await sandbox.fetchbench(Self.plan + ["--mode", "raw", "--trials", "1"])
            #expect(whole.status == 0)
            let ended = try await sandbox.fetchbench(["merge"] + sandbox.runFolders() + ["--output", "merged"])
            #expect(ended.status == 2 && ended.complaint.contains("not a shard"), "\(ended.complaint)")
            let shard = try await sandbox.fetchbench(
                Self.plan + ["--mode", "raw", "--trials", "1", "--shard", "1/1", "--output", "shards"])
            #expect(shard.status == 0)
            for flags in [["--format", "junit"], ["--allow-mismatch"]] {
                let ignored = try await sandbox.fetchbench(
                    ["merge"] + sandbox.runFolders(in: "shards") + ["--output", "merged"] + flags)
                #expect(ignored.status == 64 && ignored.complaint.contains(flags[0]), "\(ignored.complaint)")
            }
            let missing = try await sandbox.fetchbench("merge", "nowhere", "--output", "merged")
            #expect(missing.status == 2 && missing.complaint.contains("nowhere"))
            let unmatched = try await sandbox.fetchbench("merge", "nowhere/*", "--output", "merged")
            #expect(unmatched.status == 64 && unmatched.complaint.contains("nowhere/*"), "\(unmatched.complaint)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: sandbox.work).sorted() == ["results", "shards"])
        }
    }
}
