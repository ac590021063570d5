// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// A run that is stopped keeps what it measured, leaves nothing behind and can be finished.
    @Suite struct Interrupts {
        /// Twelve trials of about half a second.
        static let plan = [
            "run", "--asset", "16MiB", "--mode", "data,raw", "--render", "none", "--trials", "4", "--seed", "3",
        ]

        /// Starts the plan and waits until a few trials are stored and another is on its way.
        private func interrupted(_ sandbox: Sandbox) async throws -> (process: Spawned, run: StoredRun) {
            let process = try sandbox.start(Self.plan)
            let isUnderWay = try await eventually(within: 60) {
                guard process.isRunning else { return true }
                let lines = try sandbox.runFolders().first.map { try StoredRun($0).logLines() } ?? []
                return lines.count >= 3 && ProcessTable.processes(of: sandbox).contains { $0.isTrial }
            }
            try #require(isUnderWay && process.isRunning)
            return (process, try sandbox.onlyRun())
        }

        private func expectCompletion(_ run: StoredRun, keeping lines: [String], in sandbox: Sandbox) async throws {
            let ended = try await sandbox.fetchbench("run", "--resume", run.folder, status: 0)
            #expect(ended.output.contains("fetch ms"))
            #expect(try run.trials().map(\.trial) == Array(1...12))
            #expect(Array(run.logLines().prefix(lines.count)) == lines)
            #expect(try run.record().finishedAt != nil)
            #expect(try run.table("trials.csv").rows.count == 12)
            try run.expectSeries()
            #expect(sandbox.runFolders().count == 1)
        }

        @Test func aDeadOriginEndsTheRunAndNoTrialOfItsEndIsKept() async throws {
            let sandbox = try Sandbox("dead-origin")
            let (process, run) = try await interrupted(sandbox)
            let origins = ProcessTable.processes(of: sandbox).filter(\.isOrigin)
            try #require(origins.count == 1)
            kill(origins[0].identifier, SIGKILL)
            let ended = try await process.end(within: 60)
            #expect(ended.status == 2 && ended.complaint.contains("origin"), "\(ended.status) \(ended.complaint)")
            #expect(try run.trials().allSatisfy { $0.outcome.kind == "completed" })
            try await expectCompletion(run, keeping: run.logLines(), in: sandbox)
        }

        @Test func aSignalWaitsForNoTrialAndLeavesNothingBehind() async throws {
            let sandbox = try Sandbox("interrupt")
            let (process, run) = try await interrupted(sandbox)
            let kept = run.logLines()
            // A trial that stands still has no end that could be waited for.
            for trial in ProcessTable.processes(of: sandbox) where trial.isTrial { kill(trial.identifier, SIGSTOP) }
            process.send(SIGINT)
            let isGone = try await eventually(within: 20) {
                !process.isRunning && ProcessTable.processes(of: sandbox).isEmpty
            }
            #expect(isGone, "\(ProcessTable.processes(of: sandbox))")
            let ended = try await process.end(within: 20)
            #expect(ended.status == 130)
            #expect(ended.complaint.contains("--resume results/"))
            #expect(ended.output.isEmpty, "an interrupted run has no answer")
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
            #expect(try run.trials().allSatisfy { $0.outcome.kind == "completed" }, "what was cut off is no trial")
            #expect(try run.record().finishedAt == nil)
            #expect(try run.text(of: "report.md").contains("interrupted"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            try await expectCompletion(run, keeping: run.logLines(), in: sandbox)
        }

        /// A cleanup that hangs holds nobody who asks again.
        @Test func aSecondSignalEndsItAtOnce() async throws {
            let sandbox = try Sandbox("twice")
            let process = try sandbox.start(["exec", "sleep 100", "--cleanup", "touch cleaning; sleep 100"])
            try #require(
                try await eventually(within: 30) {
                    ProcessTable.processes(of: sandbox).contains { $0.arguments.first == "sleep" }
                })
            process.send(SIGINT)
            try #require(
                try await eventually(within: 30) {
                    FileManager.default.fileExists(atPath: sandbox.work + "/cleaning")
                })
            try await Task.sleep(for: .milliseconds(400))
            process.send(SIGINT)
            #expect(try await process.end(within: 5).status == -SIGINT)
            #expect(try await ProcessTable.remaining(in: sandbox, after: 20) == [])
        }

        /// As `nohup` starts it, and a shell its jobs in the background.
        @Test func aSignalThatIsIgnoredStaysIgnored() async throws {
            let sandbox = try Sandbox("ignored")
            let script = "trap '' INT HUP; exec \"$BINARY\" exec --trials 1 'touch started; sleep 1'"
            let process = try sandbox.start(
                BuiltBinary.tool("sh"), ["-c", script], environment: ["BINARY": BuiltBinary.path])
            try #require(
                try await eventually(within: 30) { FileManager.default.fileExists(atPath: sandbox.work + "/started") })
            process.send(SIGHUP)
            process.send(SIGINT)
            #expect(try await process.end(within: 30).status == 0)
        }

        @Test func killedHarnessTakesItsOriginAlong() async throws {
            let sandbox = try Sandbox("killed")
            let (process, run) = try await interrupted(sandbox)
            let kept = run.logLines()
            process.send(SIGKILL)
            let originIsGone = try await eventually(within: 20) {
                !ProcessTable.processes(of: sandbox).contains { $0.isOrigin }
            }
            #expect(originIsGone, "it would serve for ever")
            // Without its origin the trial has nothing left to fetch.
            #expect(try await ProcessTable.remaining(in: sandbox, after: 20) == [])
            #expect(try await process.end(within: 20).status == -SIGKILL)
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
            // As if it had been killed in the middle of a line.
            let torn = try run.text(of: "trials.jsonl") + "{\"trial\":99,\"case\":{\"as"
            try Data(torn.utf8).write(to: URL(fileURLWithPath: run.folder + "/trials.jsonl"))
            let report = try await sandbox.fetchbench("report", run.folder, "--format", "csv", status: 0)
            #expect(try CSVTable(report.output).rows.count == run.logLines().count)
            try await expectCompletion(run, keeping: run.logLines(), in: sandbox)
        }
    }

    /// Comparisons, calibrations and checks that are stopped go on where they were, as runs do.
    @Suite struct InterruptedPairs {
        private static let plan = ["--asset", "4MiB", "--mode", "raw", "--render", "none", "--seed", "3"]

        /// Starts a command, waits until a few trials are stored, and stops it.
        private func interrupted(
            _ sandbox: Sandbox, _ words: [String], _ output: String
        ) async throws -> (ended: Ended, run: StoredRun) {
            let process = try sandbox.start(words + ["--output", output])
            let isUnderWay = try await eventually(within: 60) {
                let lines = try sandbox.runFolders(in: output).first.map { try StoredRun($0).logLines() } ?? []
                return lines.count >= 5 || !process.isRunning
            }
            try #require(isUnderWay && process.isRunning)
            process.send(SIGINT)
            return (try await process.end(within: 20), try sandbox.onlyRun(in: output))
        }

        private func report(_ run: StoredRun, in sandbox: Sandbox) async throws -> Ended {
            try await sandbox.fetchbench("report", run.folder)
        }

        /// Every trial once, in the record, in the table and in the series; what was stored first is as it was.
        private func expectWhole(_ run: StoredRun, keeping lines: [String], count: Int) throws {
            #expect(try run.trials().map(\.trial) == Array(1...count))
            #expect(Array(run.logLines().prefix(lines.count)) == lines)
            #expect(try run.record().finishedAt != nil)
            let rows = try run.table("trials.csv").rows
            #expect(rows.count == count)
            try run.expectSeries()
            let sides = Dictionary(grouping: rows) { $0["side"] ?? "" }.mapValues(\.count)
            #expect(sides == ["base": count / 2, "head": count / 2])
            #expect(rows.prefix(2).allSatisfy { $0["stage"] == "warmup" })
            #expect(rows.dropFirst(2).prefix(8).allSatisfy { $0["stage"] == "screening" })
        }

        @Test func aComparisonIsFinishedAndJudged() async throws {
            let sandbox = try Sandbox("pairs")
            let sides = ["--base", BuiltBinary.path, "--head", BuiltBinary.path]
            let (stopped, run) = try await interrupted(sandbox, ["compare"] + sides + Self.plan, "results")
            #expect(stopped.status == 130)
            #expect(
                stopped.complaint.contains(
                    /to finish it: fetchbench compare --resume results\/\S+ --base BASE --head HEAD/))
            #expect(!run.files.contains("judgement.json"), "nothing is judged by half")
            #expect(try run.trials().allSatisfy { $0.outcome.kind == "completed" })
            let kept = run.logLines()

            let early = try await report(run, in: sandbox)
            #expect(early.status == 2 && early.complaint.contains("judgement.json is missing: the run was interrupted"))
            let ended = try await sandbox.fetchbench(
                ["compare", "--resume", run.folder] + sides, status: 0, within: 120)
            #expect(ended.output.contains(/[34] unchanged/))
            try expectWhole(run, keeping: kept, count: 26)
            #expect(try run.text(of: "run.json").contains(#""kind" : "comparison""#))
            let drawn = try await report(run, in: sandbox)
            #expect(drawn.status == 0 && drawn.output == ended.output)
        }

        @Test func aCalibrationIsFinished() async throws {
            let sandbox = try Sandbox("calibration")
            let (stopped, run) = try await interrupted(
                sandbox, ["calibrate", "--pairs", "8"] + Self.plan, "results")
            #expect(stopped.status == 130)
            #expect(stopped.complaint.contains("to finish it: fetchbench calibrate --resume results/"))
            let kept = run.logLines()
            try await sandbox.fetchbench("calibrate", "--resume", run.folder, status: 0)
            try expectWhole(run, keeping: kept, count: 18)
            #expect(try await report(run, in: sandbox).status == 0)
            let damaged = try run.text(of: "calibration.json").replacing(
                /"false_alarms" : \d+/, with: "\"false_alarms\" : -1")
            try damaged.write(toFile: run.folder + "/calibration.json", atomically: true, encoding: .utf8)
            let refused = try await report(run, in: sandbox)
            #expect(refused.status == 2 && refused.complaint.contains("entries[0].false_alarms"))
        }

        @Test func aCheckIsFinishedAndJudgedByTheBudgetsItBeganWith() async throws {
            let sandbox = try Sandbox("check")
            let suite = try sandbox.write(
                "assets: [4MiB]\nmodes: [raw]\nrenders: [none]\ntrials: 12\nbudgets: [\"4MiB/raw/*: peak <= 1 KiB\"]\n",
                to: "small.yml")
            let (stopped, run) = try await interrupted(sandbox, ["check", "--suite", suite], "results")
            #expect(stopped.status == 130)
            #expect(stopped.complaint.contains("to finish it: fetchbench check --resume results/"))
            try FileManager.default.removeItem(atPath: suite)
            let ended = try await sandbox.fetchbench("check", "--resume", run.folder, status: 1)
            #expect(ended.output.contains("over budget"))
            #expect(try run.trials().map(\.trial) == Array(1...24))
        }
    }
}
