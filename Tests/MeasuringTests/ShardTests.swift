// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

@Suite struct ShardTests {
    private static func slurm(task: Int, of tasks: ClosedRange<Int>) -> [String: String] {
        [
            "SLURM_ARRAY_TASK_ID": "\(task)", "SLURM_ARRAY_TASK_COUNT": "\(tasks.count)",
            "SLURM_ARRAY_TASK_MIN": "\(tasks.lowerBound)", "SLURM_ARRAY_TASK_MAX": "\(tasks.upperBound)",
        ]
    }

    @Test(arguments: [
        ("3/8", [:], "3/8"), ("1/1", [:], "1/1"),
        ("auto/8", ["JOB_COMPLETION_INDEX": "0"], "1/8"), ("auto/8", ["JOB_COMPLETION_INDEX": "7"], "8/8"),
        ("auto", ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"], "2/3"),
        ("auto/3", ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"], "2/3"),
        ("auto", slurm(task: 5, of: 1...8), "5/8"),
        ("auto/8", ["SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "1"], "5/8"),
    ])
    func shardsOfWordsAndEngines(text: String, environment: [String: String], shard: String) throws {
        #expect(try Shard(parsing: text, environment: environment).description == shard)
    }

    @Test(arguments: [
        ("9/8", [:]), ("0/8", [:]), ("-1/8", [:]), ("3", [:]), ("3/8/2", [:]), ("", [:]), ("a/b", [:]), ("1/0", [:]),
        ("1/100001", [:]), ("auto", [:]), ("auto/0", ["JOB_COMPLETION_INDEX": "0"]), ("auto/x", [:]),
        ("auto", ["JOB_COMPLETION_INDEX": "0"]), ("auto/8", ["JOB_COMPLETION_INDEX": "8"]),
        ("auto/8", ["JOB_COMPLETION_INDEX": "first"]), ("auto/8", ["JOB_COMPLETION_INDEX": "-1"]),
        ("auto", ["CI_NODE_INDEX": "1", "SLURM_ARRAY_TASK_ID": "1", "CI_NODE_TOTAL": "2"]),
        ("auto", ["CI_NODE_INDEX": "1"]), ("auto/8", ["SLURM_ARRAY_TASK_ID": "0"]),
        // A part of the array alone, and an array that counts from 0.
        ("auto", slurm(task: 3, of: 3...3)), ("auto", slurm(task: 3, of: 0...7)),
    ])
    func wordsThatNameNoShardAreRefused(text: String, environment: [String: String]) {
        #expect(throws: FetchBenchError.self) { try Shard(parsing: text, environment: environment) }
    }

    @Test(arguments: [
        ("\"schema\" : 1", "\"schema\" : 99", "schema 99"), ("\"schema\"", "\"x\"", "schema"), ("{", "[", "expected"),
        ("\"trials\" : ", "\"trials\" : -", "plan.trials"), ("\"seed\" : ", "\"seed\" : 1", "hash"),
    ])
    func aPlanFileThatIsDamagedOrEditedIsRefused(old: String, new: String, word: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/plan.json"
            let file = try PlanFile(tool: "fetchbench", reproduce: "fetchbench run", suite: nil, plan: plan(of: 2))
            let text = try file.text()
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(try PlanFile.load(path) == file)
            let edited = text.replacingOccurrences(of: old, with: new)
            #expect(edited != text)
            try Data(edited.utf8).write(to: URL(fileURLWithPath: path))
            let error = try #require(throws: FetchBenchError.self) { try PlanFile.load(path) }
            #expect(error.message.contains(path) && error.message.contains(word), "\(error)")
        }
    }

    private func plan(of modes: Int) -> Plan {
        Plan.synthetic(
            modes: (0..<modes).map { FakeMode(name: "mode-\($0)") },
            models: [FakeModel(name: "none", needsBody: false)],
            allocators: [.glibc])
    }

    private func shards(of plan: Plan, _ count: Int) -> [String: Int] {
        var shards: [String: Int] = [:]
        for number in 1...count {
            for cell in plan.cases(of: Shard(number, of: count)) {
                #expect(shards.updateValue(number, forKey: cell.identifier) == nil, "\(cell) is in two shards")
            }
        }
        return shards
    }

    @Test(arguments: [1, 2, 3, 8, 50])
    func everyCaseIsInOneShardAndNoShardHasMoreThanItsShare(count: Int) {
        let plan = plan(of: 20)
        let shards = shards(of: plan, count)
        #expect(Set(shards.keys) == Set(plan.cases.map(\.identifier)))
        let largest = Dictionary(grouping: shards.values) { $0 }.values.map(\.count).max() ?? 0
        #expect(largest == (plan.cases.count + count - 1) / count)
    }

    /// Shards of different versions must agree, so the map is part of the format.
    @Test func theMapIsTheSameEverywhere() {
        let shards = shards(of: plan(of: 6), 4)
        let found = shards.sorted { $0.key < $1.key }.map(\.value)
        #expect(found == [4, 3, 3, 4, 2, 2, 1], "\(shards)")
    }

    @Test func theOrderOfThePlanDoesNotMatter() {
        var plan = plan(of: 20)
        let before = shards(of: plan, 8)
        plan.cases.reverse()
        #expect(shards(of: plan, 8) == before)
    }

    @Test func aCaseOrAShardMoreMovesFewOthers() {
        let (small, large) = (plan(of: 60), plan(of: 61))
        let before = shards(of: small, 8)
        let after = shards(of: large, 8)
        let moved = before.count { after[$0.key] != $0.value }
        #expect(moved * 10 <= before.count, "\(moved) of \(before.count)")
        // At best, those that the ninth shard takes move.
        let nine = shards(of: small, 9)
        let movedByShard = before.count { nine[$0.key] != $0.value }
        #expect(movedByShard * 9 <= 3 * before.count, "\(movedByShard) of \(before.count)")
    }

    @Test func theHashOfAPlanIsThatOfItsContent() throws {
        var plan = plan(of: 3)
        let hash = try plan.hash()
        #expect(hash.count == 64)
        #expect(try self.plan(of: 3).hash() == hash)
        plan.seed += 1
        #expect(try plan.hash() != hash)
    }

    @Test func theTurnsOfShardsAreThoseOfThePlan() {
        let plan = plan(of: 5)
        let host = ShardHost(identifier: "0123456789ab", environment: SyntheticRun.environment)
        let turns = Array(ShardTurns(of: plan, Sharding(Shard(1, of: 3), planHash: "", build: "", on: host)))
        #expect(turns.map { Plan.Slot(trial: $0.trial, cell: plan.cases[$0.place], seed: $0.seed) } == plan.slots)
    }

    @Test func bothTrialsOfAPairAreInTheSameShardAndTheBlocksOfACaseInSeveral() {
        var plan = plan(of: 5)
        plan.trials = 8
        let host = ShardHost(identifier: "0123456789ab", environment: SyntheticRun.environment)
        let sharding = Sharding(Shard(1, of: 4), planHash: "", blocks: 4, build: "", on: host)
        let turns = Array(ShardTurns(of: plan, sharding))
        let cells = plan.fetchingCases
        #expect(turns.map(\.trial) == Array(1...cells.count * 4 * 9 * 2))
        for pair in stride(from: 0, to: turns.count, by: 2) {
            let (first, second) = (turns[pair], turns[pair + 1])
            #expect(first.place == second.place && first.seed == second.seed)
            #expect(first.shard == second.shard)
            #expect(Set([first, second].map(\.pairing?.side)) == [.base, .head])
            #expect(first.pairing?.stage == second.pairing?.stage)
        }
        let firsts = turns.filter { $0.pairing?.side == .base }
        #expect(firsts.count { $0.pairing?.stage == .warmup } == cells.count * 4, "one a block")
        #expect(Set(firsts.map(\.seed)).count == firsts.count, "each pair has draws of its own")
        #expect(Set(turns.prefix(2 * cells.count * 4).map(\.pairing?.stage)) == [.warmup], "and before the others")
        for cell in cells {
            let own = firsts.filter { plan.cases[$0.place] == cell }
            #expect(own.count == 4 * 9)
            #expect(Set(own.map(\.shard)).count >= 3, "four, unless the last places are left over")
        }
        let loads = Dictionary(grouping: firsts, by: \.shard).mapValues(\.count)
        #expect(loads.values.allSatisfy { $0 == firsts.count / 4 }, "\(loads)")
        for number in 1...4 {
            let own = Set(turns.filter { $0.shard == number }.map { plan.cases[$0.place] })
            #expect(sharding.cases(of: Shard(number, of: 4), in: plan) == plan.cases.filter(own.contains))
        }
        // Base and head go first alike often.
        let order = stride(from: 0, to: turns.count, by: 2).count { turns[$0].pairing?.side == .base }
        #expect((60...120).contains(order), "\(order) of \(turns.count / 2)")
    }

    @Test func hostsAreToldApartByANameAndNotByTheTime() {
        let first = ShardHost.identifier(besides: "")
        #expect(first.wholeMatch(of: /[0-9a-f]{12}/) != nil)
        #expect(ShardHost.identifier(besides: "") == first)
        #expect(ShardHost.identifier(besides: "node-2") != first)
    }
}

/// The merging of made-up shards, whose trials are known to the byte.
@Suite struct ShardMergeTests {
    private let plan = Plan.synthetic(trials: 3)
    private let here = ShardHost(identifier: "0123456789ab", environment: SyntheticRun.environment)
    private let there: ShardHost = {
        var environment = SyntheticRun.environment
        environment.kernel = "5.15.0"
        return ShardHost(identifier: "ba9876543210", environment: environment)
    }()

    private func trial(_ slot: Plan.Slot, on host: ShardHost) throws -> Trial {
        var synthetic = SyntheticTrial()
        (synthetic.number, synthetic.cell, synthetic.seed) = (slot.trial, slot.cell, slot.seed)
        synthetic.asset = plan.asset(of: slot.cell)
        var trial = try synthetic.trial()
        trial.host = host.identifier
        return trial
    }

    private func shard(
        _ number: Int, of count: Int, on host: ShardHost, _ change: (inout RunRecord) throws -> Void = { _ in }
    ) throws -> RunRecord {
        let shard = Shard(number, of: count)
        var run = SyntheticRun.record(plan)
        run.sharding = Sharding(shard, planHash: try plan.hash(), build: "b1", on: host)
        run.planOfShards = plan
        run.plan.cases = plan.cases(of: shard)
        let own = Set(run.plan.cases)
        run.trials = try plan.slots.filter { own.contains($0.cell) }.map { try trial($0, on: host) }
        run.finishedAt = "2026-01-02T03:1\(number):00Z"
        try change(&run)
        return run
    }

    /// Stores shards in folders named by their place, with two samples for each trial.
    private func stored(_ runs: [RunRecord], in folder: String) throws -> [RunFolder] {
        try runs.enumerated().map { index, run in
            let place = try RunFolder.create(named: "shard-\(index + 1)", in: folder)
            try RunStore.create(run, in: place)
            let rows = run.trials.flatMap { trial in (0..<2).map { "\(trial.number),\($0),fetch,1,1,1,,\n" } }
            try place.write(SamplesTable.header + rows.joined(), to: .samples)
            return place
        }
    }

    private func merged(_ folders: [RunFolder], as name: String, in folder: String) throws -> ShardMerge {
        var merge = try ShardMerge(of: folders, at: "2026-01-03T00:00:00Z")
        try merge.write(to: RunFolder.create(new: name, in: folder))
        return merge
    }

    /// Expects that shards are not merged because of one of them, for a reason that contains a word.
    private func expectRefusal(
        of shards: [RunFolder], in folder: String, because shard: String, isDamaged: Bool = false, naming word: String
    ) throws {
        let error = #expect(throws: FetchBenchError.self) { try merged(shards, as: "merged", in: folder) }
        let refusal =
            isDamaged
            ? FetchBenchError.malformedRun(name: shard, reason: "") : .notMergeable(name: shard, reason: "")
        #expect(error?.message.hasPrefix(refusal.message) == true && error?.message.contains(word) == true)
    }

    private func text(_ file: RunFolder.File, of name: String, in folder: String) throws -> String {
        String(decoding: try RunFolder(existing: folder + "/" + name).data(of: file), as: UTF8.self)
    }

    @Test func aCancelledMergeStoresNoTrials() async throws {
        let folder = NSTemporaryDirectory() + "cancelled-merge-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let folders = try stored((1...2).map { try shard($0, of: 2, on: here) }, in: folder)
        let merging = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try merged(folders, as: "merged", in: folder)
        }
        await #expect(throws: FetchBenchError.self) { try await merging.value }
        #expect(!FileManager.default.fileExists(atPath: folder + "/merged/trials.jsonl"))
    }

    @Test func allShardsAreTheWholeRun() throws {
        try withTemporaryFolder { folder in
            let folders = try stored((1...4).map { try shard($0, of: 4, on: $0 == 3 ? there : here) }, in: folder)
            let merge = try merged(folders, as: "merged", in: folder)
            #expect(merge.missing.isEmpty && merge.trialCount == plan.slots.count)
            let run = try RunStore.load(RunFolder(existing: folder + "/merged"))
            #expect(run.trials.map(\.number) == Array(1...plan.slots.count))
            #expect(
                run.trials.map(\.cell) == plan.slots.map(\.cell) && run.trials.map(\.seed) == plan.slots.map(\.seed))
            #expect(run.plan == plan && run.finishedAt == "2026-01-02T03:14:00Z" && run.warnings.isEmpty)
            #expect(run.sharding?.number == nil && run.sharding?.hosts == [here, there])
            let rows = try text(.samples, of: "merged", in: folder).split(separator: "\n").dropFirst()
            #expect(rows.map { $0.prefix { $0 != "," } } == plan.slots.flatMap { ["\($0.trial)", "\($0.trial)"] })
        }
    }

    @Test func mergingIsAssociativeAndMayBeRepeated() throws {
        try withTemporaryFolder { folder in
            let parts = try stored((1...4).map { try shard($0, of: 4, on: $0 == 3 ? there : here) }, in: folder)
            _ = try merged(parts, as: "all", in: folder)
            _ = try merged([parts[3], parts[1]], as: "left", in: folder)
            _ = try merged([parts[2], parts[0], parts[1]], as: "right", in: folder)
            let (left, right) = (RunFolder(existing: folder + "/left"), RunFolder(existing: folder + "/right"))
            _ = try merged([right, left], as: "both", in: folder)
            _ = try merged([RunFolder(existing: folder + "/both"), parts[2], right], as: "again", in: folder)
            for name in ["both", "again"] {
                for file in [RunFolder.File.log, .samples] {
                    #expect(try text(file, of: name, in: folder) == text(file, of: "all", in: folder))
                }
                let head = try text(.run, of: name, in: folder).replacing("\"\(name)\"", with: "\"all\"")
                #expect(head == (try text(.run, of: "all", in: folder)))
            }
        }
    }

    @Test func missingTrialsAreCountedForEachShard() throws {
        try withTemporaryFolder { folder in
            let folders = try stored(
                [
                    shard(1, of: 4, on: here), shard(2, of: 4, on: here) { $0.trials.removeLast(2) },
                    shard(4, of: 4, on: here),
                ], in: folder)
            let merge = try merged(folders, as: "merged", in: folder)
            let third = plan.cases(of: Shard(3, of: 4)).count * plan.trials
            #expect(merge.missing == [2: 2, 3: third])
            #expect(merge.record.finishedAt == nil)
            #expect(merge.trialCount == plan.slots.count - 2 - third)
        }
    }

    @Test func aCutOffLineOfAnInterruptedShardIsMissingAndOfAnEndedOneAnError() throws {
        try withTemporaryFolder { folder in
            let whole = try shard(1, of: 1, on: here)
            for isEnded in [false, true] {
                let name = isEnded ? "ended" : "interrupted"
                let place = try stored([whole], in: folder + "/" + name)[0]
                var head = whole
                if !isEnded { head.finishedAt = nil }
                try RunStore.write(head, to: place)
                let log = String(decoding: try place.data(of: .log), as: UTF8.self)
                try place.write(String(log.dropLast(20)), to: .log)
                if isEnded {
                    #expect(throws: FetchBenchError.self) { try merged([place], as: "of-" + name, in: folder) }
                    let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/of-" + name)
                    #expect(files.isEmpty, "a refused merge leaves nothing")
                } else {
                    #expect(try merged([place], as: "of-" + name, in: folder).missing == [1: 1])
                }
            }
        }
    }

    /// Changes after which a shard must not be merged, each with a word of the reason.
    private static let refused: [(String, String, @Sendable (inout RunRecord) throws -> Void)] = [
        (
            "another plan", "another plan",
            {
                $0.planOfShards?.seed += 1
                let hash = try $0.wholePlan.hash()
                $0.sharding?.planHash = hash
            }
        ),
        ("another number of shards", "one of 5", { $0.sharding?.count = 5 }),
        ("another build", "another build", { $0.sharding?.build = "b2" }),
        ("an older version", "fetchbench 0.0.9", { $0.tool = "fetchbench 0.0.9" }),
        ("a check", "is a check", { $0.kind = .check }),
        ("no shard", "not a shard", { $0.sharding = nil }),
        ("other budgets", "budgets", { $0.budgets = ["*: peak <= 4 MiB"] }),
        ("another program", "of another build", { $0.programs?[0].sha256 = "other" }),
        ("another command", "of another build", { $0.executables?[0].byteCount += 1 }),
    ]

    @Test(arguments: refused.indices)
    func shardsThatDoNotBelongTogetherAreRefused(place: Int) throws {
        let (_, word, change) = Self.refused[place]
        try withTemporaryFolder { folder in
            let program = ProgramFile(at: "/proc/self/exe")
            let folders = try stored(
                [
                    shard(1, of: 4, on: here) { ($0.programs, $0.executables) = ([program], [program]) },
                    shard(2, of: 4, on: here) {
                        ($0.programs, $0.executables) = ([program], [program])
                        try change(&$0)
                    },
                ], in: folder)
            try expectRefusal(of: folders, in: folder, because: "shard-2", naming: word)
        }
    }

    /// Damage to the plan of all shards, each with a word of the reason.
    private static let damages: [(word: String, change: @Sendable (String) -> String?)] = [
        ("plan.json", { _ in nil }), ("plan.json", { String($0.prefix(100)) }),
        ("hash", { $0.replacingOccurrences(of: "\"trials\" : 3", with: "\"trials\" : 4") }),
    ]

    @Test(arguments: damages.indices)
    func aDamagedPlanIsNamed(place: Int) throws {
        let (word, change) = Self.damages[place]
        try withTemporaryFolder { folder in
            let folders = try stored((1...2).map { try shard($0, of: 2, on: here) }, in: folder)
            let plan = try text(.plan, of: "shard-1", in: folder)
            let other = change(plan)
            #expect(other != plan)
            try FileManager.default.removeItem(atPath: folders[0].path(of: .plan))
            if let other { try folders[0].write(other, to: .plan) }
            let error = #expect(throws: FetchBenchError.self) { try merged(folders, as: "merged", in: folder) }
            #expect("\(String(describing: error))".contains(word))
        }
    }

    @Test func aTrialWithOtherValuesInTwoShardsIsRefused() throws {
        try withTemporaryFolder { folder in
            let folders = try stored(
                [shard(1, of: 2, on: here), shard(1, of: 2, on: here) { $0.trials[1].processNanoseconds += 1 }],
                in: folder)
            try expectRefusal(of: folders, in: folder, because: "shard-2", naming: "shard-1")
        }
    }

    /// Lines that do not fit the plan, each made of a right one.
    @Test(arguments: [
        ("\"trial\":", "\"trial\":9"), ("\"mode\":\"", "\"mode\":\"x"), ("\"host\":\"0", "\"host\":\"1"), ("{", "["),
        ("}", ""), ("\"case\":", "\"cage\":"),
    ])
    func linesThatAreNotOfThePlanAreRefused(part: String, other: String) throws {
        try withTemporaryFolder { folder in
            let place = try stored([shard(1, of: 1, on: here)], in: folder)[0]
            var lines = try text(.log, of: "shard-1", in: folder).split(separator: "\n").map(String.init)
            let range = try #require(lines[2].range(of: part))
            lines[2].replaceSubrange(range, with: other)
            try place.write(lines.joined(separator: "\n") + "\n", to: .log)
            try expectRefusal(of: [place], in: folder, because: "shard-1", isDamaged: true, naming: "trials.jsonl")
        }
    }

    @Test func aLogWhoseTrialsAreNotInOrderIsRefused() throws {
        try withTemporaryFolder { folder in
            let place = try stored([shard(1, of: 1, on: here)], in: folder)[0]
            var lines = try text(.log, of: "shard-1", in: folder).split(separator: "\n").map(String.init)
            lines.insert(lines.remove(at: 5), at: 0)
            try place.write(lines.joined(separator: "\n") + "\n", to: .log)
            #expect(throws: FetchBenchError.self) { try merged([place], as: "merged", in: folder) }
        }
    }

    @Test(arguments: [
        ["end": "2026-01-02T03:00:00Z"], ["start": "2026-01-04T03:00:00Z", "end": "2026-01-04T04:00:00Z"],
        ["start": "2026-01-02T04:00:00Z"],
    ])
    func clocksThatDisagreeAreNamed(times: [String: String]) throws {
        try withTemporaryFolder { folder in
            let folders = try stored(
                [
                    shard(1, of: 2, on: here),
                    shard(2, of: 2, on: there) {
                        $0.startedAt = times["start"] ?? $0.startedAt
                        $0.finishedAt = times["end"] ?? $0.finishedAt
                    },
                ], in: folder)
            let merge = try merged(folders, as: "merged", in: folder)
            #expect(merge.missing.isEmpty)
            #expect(merge.record.warnings.contains { $0.text.contains("clocks") && $0.text.contains("shard-2") })
        }
    }

    @Test func casesMeasuredOnSeveralHostsAreNamed() throws {
        try withTemporaryFolder { folder in
            let (here, there) = (here, there)
            let place = try stored(
                [
                    shard(1, of: 1, on: here) {
                        $0.sharding?.add(there)
                        for index in 5..<$0.trials.count { $0.trials[index].host = there.identifier }
                    }
                ], in: folder)[0]
            let merge = try merged([place], as: "merged", in: folder)
            #expect(merge.record.warnings.contains { $0.text.contains("several hosts") })
            let run = try RunStore.load(RunFolder(existing: folder + "/merged"))
            #expect(run.trials.count == plan.slots.count)
            #expect(run.trialsByCase.values.contains { $0.contains(where: \.isCompleted) })
            for (cell, trials) in run.trialsByCase {
                #expect(Set(trials.map(\.host)).count == 1, "\(cell.identifier)")
                #expect(run.comparableTrials(of: cell).map(\.number) == trials.map(\.number))
                let done = Dictionary(grouping: run.trials.filter { $0.isCompleted && $0.cell == cell }, by: \.host)
                #expect(trials.count(where: \.isCompleted) == done.values.map(\.count).max() ?? 0)
            }
        }
    }
}
