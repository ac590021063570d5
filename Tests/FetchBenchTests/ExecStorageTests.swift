// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// What `fetchbench exec` stores, and what is kept of it when it is stopped.
    @Suite struct ExecStorage {
        @Test func nothingIsOverwritten() async throws {
            let sandbox = try Sandbox("stored")
            for _ in 1...2 {
                let ended = try await sandbox.fetchbench("exec", "true", "--trials", "2", "--output", "deep/stored")
                #expect(ended.status == 0 && ended.complaint.contains("report: deep/stored/"))
            }
            let folders = sandbox.runFolders(in: "deep/stored")
            #expect(folders.count == 2)
            for folder in folders {
                let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                #expect(
                    files == [
                        "commands.json", "report.html", "report.md", "run.json", "samples.csv", "summary.csv",
                        "trials.csv", "trials.jsonl",
                    ])
                let text = try String(contentsOfFile: folder + "/commands.json", encoding: .utf8)
                #expect(try ExecAnswer(text).trials.count == 2)
            }
            let without = try await sandbox.fetchbench("exec", "true", "--trials", "1")
            #expect(without.status == 0 && sandbox.runFolders().isEmpty)
        }

        @Test func aFileInPlaceOfTheFolderIsSaidFirst() async throws {
            let sandbox = try Sandbox("taken")
            try sandbox.write("here first", to: "taken")
            let ended = try await sandbox.fetchbench("exec", "touch ran", "--output", "taken")
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.complaint.contains("taken cannot be written: "))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work) == ["taken"])
            let nowhere = try await sandbox.fetchbench(
                "exec", "touch ran", environment: ["TMPDIR": sandbox.path + "/nowhere"])
            #expect(nowhere.status == 2 && nowhere.complaint.contains("TMPDIR"))
        }

        @Test func aFolderThatIsFullKeepsWhatItHolds() async throws {
            let sandbox = try Sandbox("full")
            // Blocks of 512 bytes or of 1 KiB, as the shell counts; without the trap the limit would kill.
            let script = "trap '' XFSZ; ulimit -f 30; exec \"$BINARY\" exec true --trials 300 --output stored\n"
            try sandbox.write(script, to: "limit.sh")
            let shell = try sandbox.start(
                BuiltBinary.tool("sh"), ["limit.sh"], environment: ["BINARY": BuiltBinary.path])
            let ended = try await shell.end(within: 60)
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.complaint.contains("trials.jsonl cannot be written: File too large"), "\(ended.complaint)")
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            let log = try String(contentsOfFile: folder + "/trials.jsonl", encoding: .utf8)
            #expect(log.split(separator: "\n").count > 5)
            #expect(ended.complaint.contains("fetchbench exec --resume stored/"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
        }

        /// What is concluded is not warmed up again.
        @Test func onlyWhatIsLeftIsDoneWhenAStoredRunIsTakenUpAgain() async throws {
            let sandbox = try Sandbox("resumed")
            let commands = ["echo a >> log", "echo b >> log"]
            let begun = try await sandbox.fetchbench(
                ["exec"] + commands + ["--warmup", "1", "--trials", "2", "--output", "stored"])
            #expect(begun.status == 0, "\(begun.complaint)")
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            func log() throws -> [Substring] {
                try String(contentsOfFile: sandbox.work + "/log", encoding: .utf8).split(separator: "\n")
            }
            #expect(try log().count == 6)
            // As one is left that was stopped before it was said to be finished: with all of its trials, then without one.
            let head = try String(contentsOfFile: folder + "/run.json", encoding: .utf8)
            let unfinished = head.replacing(/"finished_at" ?: ?"[^"]*",/, with: "")
            var trials = try String(contentsOfFile: folder + "/trials.jsonl", encoding: .utf8).split(separator: "\n")
            for left in 0...1 {
                trials.removeLast(left)
                try unfinished.write(toFile: folder + "/run.json", atomically: true, encoding: .utf8)
                try (trials.joined(separator: "\n") + "\n").write(
                    toFile: folder + "/trials.jsonl", atomically: true, encoding: .utf8)
                let ended = try await sandbox.fetchbench("exec", "--resume", folder)
                #expect(ended.status == 0, "\(ended.complaint)")
                // The run itself, and what goes before it.
                #expect(try log().count == 6 + 2 * left)
            }
            #expect(try Set(log().suffix(2)).count == 1, "the other command has nothing left to do")
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func aSignalKeepsWhatWasMeasured(signal: Int32) async throws {
            let sandbox = try Sandbox("interrupt")
            let process = try sandbox.start([
                "exec", "true", "test -e stop && exec sleep 100 || true", "--trials", "1000", "--cleanup",
                "echo x >> cleaned", "--output", "stored",
            ])
            let log = { sandbox.runFolders(in: "stored").first.map { $0 + "/trials.jsonl" } ?? "" }
            let count = {
                String(decoding: FileManager.default.contents(atPath: log()) ?? Data(), as: UTF8.self).split(
                    separator: "\n"
                ).count
            }
            #expect(try await eventually(within: 60) { count() >= 4 })
            try sandbox.write("", to: "stop")
            #expect(
                try await eventually(within: 60) {
                    ProcessTable.processes(of: sandbox).contains { $0.arguments.first == "sleep" }
                })
            let kept = count()
            process.send(signal)
            let ended = try await process.end(within: 30)
            #expect(ended.status == 130 && ended.output.isEmpty, "\(ended.complaint)")
            #expect(ended.complaint.contains("fetchbench exec --resume stored/"), "\(ended.complaint)")
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            let stored = try ExecAnswer(String(contentsOfFile: folder + "/commands.json", encoding: .utf8))
            #expect(stored.trials.count == kept)
            #expect(stored.trials.allSatisfy { $0.outcome.kind == "completed" }, "what was cut off is no run")
            let cleaned = try String(contentsOfFile: sandbox.work + "/cleaned", encoding: .utf8)
            #expect(cleaned.split(separator: "\n").count == kept + 1, "after the run that was cut off, too")
            let isGone = try await eventually(within: 10) { ProcessTable.processes(of: sandbox).isEmpty }
            #expect(isGone, "\(ProcessTable.processes(of: sandbox))")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func aSignalBeforeARunCleansUpAndShowsWhatWasMeasured() async throws {
            let sandbox = try Sandbox("unprepared")
            let process = try sandbox.start([
                "exec", "true", "--trials", "1000", "--prepare", "test -e stop && exec sleep 100 || true", "--cleanup",
                "echo x >> cleaned",
            ])
            let count = {
                FileManager.default.contents(atPath: sandbox.work + "/cleaned")?.count { $0 == UInt8(ascii: "\n") } ?? 0
            }
            #expect(try await eventually(within: 60) { count() >= 2 })
            try sandbox.write("", to: "stop")
            #expect(
                try await eventually(within: 60) {
                    ProcessTable.processes(of: sandbox).contains { $0.arguments.first == "sleep" }
                })
            let measured = count()
            process.send(SIGINT)
            let ended = try await process.end(within: 30)
            #expect(ended.status == 130 && ended.output.contains("true"), "\(ended.output)\(ended.complaint)")
            #expect(ended.complaint.contains("interrupted; \(measured) runs are shown; "), "\(ended.complaint)")
            #expect(count() == measured + 1, "after what goes before a run was cut off, too")
            #expect(sandbox.runFolders().isEmpty)
        }
    }
}
