// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The memory of commands, compared with GNU time (one process) and a poller (a tree).
    @Suite struct ExecFigures {
        private static let tolerance = 512 * 1024

        private func python(_ sandbox: Sandbox) async throws -> String {
            let found = try await sandbox.tool("python3", "-c", "import os; print(os.readlink('/proc/self/exe'))")
            return found.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private func gnuTime(_ words: [String], _ sandbox: Sandbox) async throws -> Int {
            let ended = try await sandbox.start("/usr/bin/time", ["-v"] + words).end(within: 100)
            #expect(ended.status == 0, "\(ended.complaint)")
            let line = try #require(ended.complaint.split(separator: "\n").first { $0.contains("Maximum resident") })
            return try #require(Int(line.filter(\.isNumber))) * 1024
        }

        private func answer(_ words: String..., in sandbox: Sandbox) async throws -> ExecAnswer {
            let ended = try await sandbox.fetchbench(
                ["exec"] + words + ["--format", "commands", "--quiet"], status: 0, within: 200)
            return try ExecAnswer(ended.output)
        }

        private func expectAgreement(_ command: String, _ words: [String], _ sandbox: Sandbox) async throws {
            let answer = try await answer(command, "--trials", "3", in: sandbox)
            let runs = answer.runs(of: answer.commands[0].name)
            #expect(runs.count == 3 && runs.allSatisfy { $0.processCount == 1 })
            #expect(
                runs.allSatisfy { $0.method == "exit_stops" }
                    || runs.allSatisfy { $0.method == "polled_high_water_mark" })
            let theirs = try await gnuTime(words, sandbox)
            for run in runs {
                let ours = run.peak
                #expect(abs(ours - theirs) <= Self.tolerance, "\(ours) by exec, \(theirs) by GNU time")
            }
        }

        @Test func aSortHoldsWhatGNUTimeSays() async throws {
            let sandbox = try Sandbox("sort")
            let made = try await sandbox.tool("sh", "-c", "head -c 45M /dev/urandom | base64 -w 79 > big.txt")
            #expect(made.status == 0, "\(made.complaint)")
            let words = ["sort", "-S", "30M", "--parallel=1", "-o", "sorted.txt", "big.txt"]
            try await expectAgreement(words.joined(separator: " "), words, sandbox)
        }

        @Test func pythonWith100MebibytesHoldsWhatGNUTimeSays() async throws {
            let sandbox = try Sandbox("python")
            let python = try await python(sandbox)
            let code = "b = bytearray(100 << 20)"
            try await expectAgreement("\(python) -c '\(code)'", [python, "-c", code], sandbox)
        }

        /// Holds some memory until all of its kind do.
        private static let stage = """
            import os, sys, time
            name, size = sys.argv[1], int(sys.argv[2])
            held = bytearray(size << 20)
            open("ready-" + name, "w").close()
            while not all(os.path.exists("ready-" + other) for other in "abc"):
                time.sleep(0.01)
            time.sleep(0.5)
            """

        /// Runs a command, and looks at the marks of all that bears a word in its environment, but for the harness.
        private static let poller = """
            import os, subprocess, sys, time
            word, marks = sys.argv[1].encode(), {}
            # Numbers begin anew at the end of their range: a later process may have a lower one.
            others = set(os.listdir("/proc"))
            shell = os.path.basename(os.path.realpath("/bin/sh"))
            harness = subprocess.Popen(sys.argv[2:], env=dict(os.environ, MARK=sys.argv[1]))
            def look(number):
                with open(f"/proc/{number}/environ", "rb") as file:
                    if word not in file.read(): return
                # By its file: a copy of the harness that is about to start something bears the name of a thread. The
                # harness itself asks git for the state of the repository, by way of env.
                name = os.path.basename(os.readlink(f"/proc/{number}/exe"))
                if not name.startswith("python") and name != shell: return
                with open(f"/proc/{number}/status") as file:
                    lines = dict(line.split(":", 1) for line in file)
                marks[number] = max(marks.get(number, 0), int(lines["VmHWM"].split()[0]))
            while harness.poll() is None:
                for number in filter(str.isdigit, os.listdir("/proc")):
                    if number in others: continue
                    try: look(number)
                    except (OSError, KeyError, ValueError): pass
                time.sleep(0.002)
            print(len(marks), sum(marks.values()), file=sys.stderr)
            """

        @Test func aPipelineHoldsWhatAPollerAddsUp() async throws {
            let sandbox = try Sandbox("pipeline")
            let python = try await python(sandbox)
            try sandbox.write(Self.stage, to: "stage.py")
            try sandbox.write(Self.poller, to: "poller.py")
            let stages = zip("abc", [20, 50, 35]).map { "\(python) stage.py \($0) \($1)" }
            // One more command behind the pipeline, so that no shell becomes a part of it.
            let command = stages.joined(separator: " | ") + "; true"
            let ended = try await sandbox.start(
                python,
                [
                    "poller.py", "MARK-\(UUID().uuidString)", BuiltBinary.path, "exec", command, "--trials", "1",
                    "--format", "commands", "--quiet",
                ]
            ).end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try #require(try ExecAnswer(ended.output).trials.first)
            let words = ended.complaint.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(words.count == 2, "\(ended.complaint)")
            let sum = words[1] * 1024
            #expect(words[0] == 4 && run.processCount == 4, "a shell and three")
            #expect(abs(run.sumOfPeaks - sum) <= Self.tolerance, "\(run.sumOfPeaks) by exec, \(sum) by the poller")
            // The pages of Python, which its three processes share, count once.
            #expect(run.peak < sum - 2 * 4 << 20 && run.peak > 105 << 20, "\(run.peak) of \(sum)")
        }

        /// Pages that two processes share count once, as the help says.
        @Test func memorySharedByAForkCountsOnce() async throws {
            let sandbox = try Sandbox("fork")
            let python = try await python(sandbox)
            let code =
                "import os, time; b = bytearray(60 << 20); os.fork() or os._exit(time.sleep(0.3) or 0); os.wait()"
            let run = try #require(
                try await answer("\(python) -c '\(code)'", "--trials", "1", in: sandbox).trials.first)
            #expect(run.processCount == 2 && run.peak > 60 << 20 && run.peak < 90 << 20)
            #expect(run.sumOfPeaks > 120 << 20)
            #expect(run.processes.map(\.count) == [2] && run.processes[0].peakResidentBytes < 90 << 20)
        }

        /// One definition of the peak for every limit: between the whole peak and the one without program pages lies a limit
        /// that is kept, whatever asks.
        @Test func everyLimitIsForThePeakWithoutProgramPages() async throws {
            let sandbox = try Sandbox("limits")
            let command = BuiltBinary.neighbour("trace-fixture") + " allocate 30 20"
            let run = try #require(try await answer(command, "--trials", "1", in: sandbox).trials.first)
            let net = try #require(run.figures["net_peak_bytes"].map { Int($0) })
            #expect(run.peak - net > 4 << 20, "\(run)")
            let between = "\((run.peak + net) / 2)B"
            let suite = "name: x\nexec: ['x=\(command)']\nbudgets: ['peak <= \((run.peak + net) / 2) B']\n"
            try sandbox.write(suite, to: "suite.yml")
            try await sandbox.fetchbench("check", "--suite", "suite.yml", "--no-baseline", "--trials", "2", status: 0)
            let below = "\(net - 4 << 20)B"
            for (flag, limit, status) in [
                ("--limit", between, Int32(0)), ("--memory-limit", between, 0), ("--limit", below, 1),
                ("--memory-limit", below, 2),
            ] {
                let ended = try await sandbox.fetchbench("exec", command, "--trials", "1", flag, limit, status: status)
                #expect(status == 0 || ended.complaint.contains("program pages"), "\(ended.complaint)")
            }
        }

        /// Background processes are not judged by the time at which they were killed.
        @Test func aChildThatWasCutOffHasNoPeakToBeJudged() async throws {
            let sandbox = try Sandbox("background")
            let python = try await python(sandbox)
            let code = """
                import os, time
                if os.fork(): os._exit(0)
                held = []
                for _ in range(12):
                    held.append(bytearray(5 << 20)); time.sleep(0.1)
                """
            try sandbox.write(code, to: "grow.py")
            let words = ["exec", "\(python) grow.py", "--trials", "1", "--limit", "45MiB"]
            for (flags, status) in [([], Int32(2)), (["--wait-for-children", "30"], 1)] {
                let ended = try await sandbox.fetchbench(words + flags, status: status)
                guard status == 2 else { continue }
                #expect(ended.complaint.contains("--wait-for-children") && !ended.output.contains("within the limit"))
            }
        }

        @Test func commandsThatHoldMoreAreFound() async throws {
            let sandbox = try Sandbox("compared")
            let python = try await python(sandbox)
            let answer = try await answer(
                "\(python) -c 'b = bytearray({size} << 20)'", "-L", "size", "20,24,16", "--name", "py", "--trials", "8",
                in: sandbox)
            #expect(answer.comparisons.map(\.verdict) == ["more", "less"], "\(answer.comparisons)")
            #expect(answer.commands.map(\.parameters) == [["size": "20"], ["size": "24"], ["size": "16"]])
        }
    }
}

extension Conduct {
    /// Stored results of `fetchbench exec`, also when it is interrupted.
    @Suite struct ExecStorage {
        @Test func onlyWhatIsLeftIsDoneWhenAStoredRunIsTakenUpAgain() async throws {
            let sandbox = try Sandbox("resumed")
            let commands = ["echo a >> log", "echo b >> log"]
            try await sandbox.fetchbench(
                ["exec"] + commands + ["--warmup", "1", "--trials", "2", "--output", "stored"], status: 0)
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            func log() throws -> [Substring] {
                try String(contentsOfFile: sandbox.work + "/log", encoding: .utf8).split(separator: "\n")
            }
            #expect(try log().count == 6)
            #expect(
                try StoredRun(folder).files == [
                    "commands.json", "report.html", "report.md", "run.json", "samples.csv", "summary.csv",
                    "trials.csv", "trials.jsonl",
                ])
            // As one is left that was stopped before it was said to be finished: with all of its trials, then without one.
            let head = try String(contentsOfFile: folder + "/run.json", encoding: .utf8)
            let unfinished = head.replacing(/"finished_at" ?: ?"[^"]*",/, with: "")
            var trials = try String(contentsOfFile: folder + "/trials.jsonl", encoding: .utf8).split(separator: "\n")
            for left in 0...1 {
                trials.removeLast(left)
                try unfinished.write(toFile: folder + "/run.json", atomically: true, encoding: .utf8)
                try (trials.joined(separator: "\n") + "\n").write(
                    toFile: folder + "/trials.jsonl", atomically: true, encoding: .utf8)
                try await sandbox.fetchbench("exec", "--resume", folder, status: 0)
                // The run itself, and what goes before it.
                #expect(try log().count == 6 + 2 * left)
            }
            #expect(try Set(log().suffix(2)).count == 1, "the other command has nothing left to do")
        }

        @Test func aSignalKeepsWhatWasMeasured() async throws {
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
            process.send(SIGTERM)
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
    }
}
