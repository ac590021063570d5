// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    @Suite struct ExecConduct {
        private func exec(_ arguments: String..., in sandbox: Sandbox, status: Int32) async throws -> (
            answer: ExecAnswer, complaint: String
        ) {
            let ended = try await sandbox.fetchbench(
                ["exec"] + arguments + ["--format", "commands"], status: status, within: 60)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            return (try ExecAnswer(ended.output), ended.complaint)
        }

        /// More processes at once than there are descriptors to keep open for them.
        @Test func eachOfAThousandProcessesIsCounted() async throws {
            let sandbox = try Sandbox("thousand")
            let script = "ulimit -n 256; exec \"$BINARY\" exec --trials 1 --format commands \"$COMMAND\""
            let command = "sh -c 'for i in $(seq 1000); do sleep 3 & done; wait'"
            let ended = try await sandbox.start(
                BuiltBinary.tool("sh"), ["-c", script], environment: ["BINARY": BuiltBinary.path, "COMMAND": command]
            ).end(within: 100)
            #expect(ended.status == 0, "\(ended.complaint)")
            let answer = try ExecAnswer(ended.output)
            // `seq` is one of them, and the shell.
            #expect(answer.trials.map(\.processCount) == [1002], "\(answer.warnings)")
            #expect(!answer.warnings.contains { $0.contains("could not be read") }, "\(answer.warnings)")
        }

        /// A command that goes wrong, and what is said of it.
        private struct Mishap {
            var command: String
            var kind: String
            var words: String
        }

        private static let mishaps = [
            Mishap(
                command: "sh -c 'echo first >&2; echo last words >&2; exit 3'", kind: "failed",
                words: "ended with status 3: first | last words"),
            Mishap(
                command: "no-such-program x", kind: "failed", words: "no-such-program cannot be started: No such file"),
            Mishap(command: "no-such-program | cat; exit 7", kind: "failed", words: "ended with status 7"),
            Mishap(command: "/tmp", kind: "failed", words: "tmp cannot be started: Is a directory"),
            Mishap(command: "kill -SEGV $$", kind: "crashed", words: "ended by signal 11 (Segmentation fault)"),
            Mishap(
                command: "sleep 100 & sleep 100", kind: "timed_out", words: "did not end within 2 s and was killed"),
            Mishap(command: "python3 -c 'b = bytearray(900 << 20)'", kind: "over_limit", words: "100.0 MiB"),
            Mishap(command: "kill -9 $PPID; sleep 5", kind: "crashed", words: "signal 9 (Killed)"),
            Mishap(
                command: "yes complaint | head -c 3000000 >&2; exit 1", kind: "failed",
                words: "ended with status 1: compl"),
            Mishap(command: "printf 'a\\033[2Jb\\n' >&2; exit 1", kind: "failed", words: "ended with status 1: a"),
        ]

        /// The tracer stays for the next command, and its output can be opened by whom it has started.
        @Test func fakeTracersAffectOnlyTheirOwnCommand() async throws {
            let sandbox = try Sandbox("forged")
            let forging = try sandbox.program("echo '{}' >/proc/$PPID/fd/1", named: "forging")
            try await sandbox.fetchbench(
                "exec", forging, "true", "--trials", "4", "--output", "results", status: 2, within: 60)
            let outcomes = try sandbox.onlyRun().rows(ofMode: "true").map { $0["outcome"] }
            #expect(outcomes == ["completed", "completed", "completed", "completed"])
        }

        @Test func processesThatEscapeTheTracerEndBeforeTheNextCommand() async throws {
            let sandbox = try Sandbox("escaped")
            let script = """
                import ctypes, os, time
                CLONE, CLONE_UNTRACED, SIGCHLD = {"x86_64": 56, "aarch64": 220}[os.uname().machine], 0x00800000, 17
                if ctypes.CDLL(None).syscall(CLONE, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0) == 0:
                    time.sleep(100)
                """
            let path = try sandbox.write(script, to: "escaping.py")
            let counting = "pgrep -cf '^[^ ]*python3 \(path)$' >>counted; true"
            try await sandbox.fetchbench(
                "exec", "\(BuiltBinary.systemPython()) \(path)", counting, "--trials", "4", status: 0, within: 60)
            let counted = try String(contentsOfFile: sandbox.work + "/counted", encoding: .utf8)
            #expect(counted.split(separator: "\n").count == 4 && !counted.contains("1"), "\(counted)")
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
        }

        @Test func commandsThatFailAreNamedAndTheOthersAreShown() async throws {
            let sandbox = try Sandbox("mishap")
            let ended = try await sandbox.fetchbench(
                ["exec"] + Self.mishaps.map(\.command) + [
                    "true", "--trials", "2", "--format", "commands", "--timeout", "2", "--memory-limit", "100MiB",
                ], within: 60)
            #expect(ended.status == 2 && !ended.complaint.contains("\u{1B}"), "\(ended.complaint)")
            #expect(!ended.complaint.contains(sandbox.temporary))
            let answer = try ExecAnswer(ended.output)
            #expect(answer.commands.map(\.runs) == Self.mishaps.map { _ in 0 } + [2])
            for mishap in Self.mishaps {
                let runs = answer.runs(of: mishap.command)
                #expect(runs.count == 1 && runs[0].outcome.kind == mishap.kind, "\(runs)")
                #expect(runs[0].outcome.detail.contains(mishap.words), "\(runs[0].outcome)")
                #expect(ended.complaint.contains("trial \(runs[0].trial), "))
                #expect(ended.complaint.contains(mishap.words), "\(ended.complaint)")
            }
            let isQuiet = try await eventually(within: 10) { ProcessTable.processes(of: sandbox).isEmpty }
            #expect(isQuiet, "\(ProcessTable.processes(of: sandbox))")
        }

        @Test func preparationsRunEachTimeAndAreNotMeasured() async throws {
            let sandbox = try Sandbox("prepare")
            let (answer, _) = try await exec(
                "grep TracerPid /proc/self/status >> log", "--warmup", "1", "--trials", "2", "--prepare",
                "grep TracerPid /proc/self/status >> log; echo before >> log; yes | head -c 9000000", "--cleanup",
                "echo after >> log", in: sandbox, status: 0)
            #expect(answer.trials.count == 2, "what warms up is no run")
            let lines = try String(contentsOfFile: sandbox.work + "/log", encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 12 && lines.filter { $0 == "before" }.count == 3)
            for run in stride(from: 0, to: 12, by: 4) {
                let part = Array(lines[run..<run + 4])
                #expect(part[0].hasSuffix("\t0"), "sudo has its rights")
                #expect(part[1] == "before" && part[2].hasPrefix("TracerPid") && part[3] == "after")
            }
            #expect(answer.trials.allSatisfy { !$0.processes.contains { $0.name == "head" } })
        }

        /// One tracer serves all commands; if a command kills it, only that run is lost.
        @Test func oneProcessTracesAllRunsUntilItIsKilled() async throws {
            let sandbox = try Sandbox("tracer")
            let stays = "sh -c 'echo $PPID >> tracers'"
            _ = try await exec(stays, "true", "--trials", "3", in: sandbox, status: 0)
            func tracers() throws -> [Substring] {
                try String(contentsOfFile: sandbox.work + "/tracers", encoding: .utf8).split(separator: "\n")
            }
            #expect(try tracers().count == 3 && Set(tracers()).count == 1)
            let (answer, _) = try await exec(
                stays, "sh -c 'kill -9 $PPID; sleep 100'", "--trials", "3", in: sandbox, status: 2)
            #expect(answer.commands.map(\.runs) == [3, 0])
            let killed = try #require(answer.commands[1].failure)
            #expect(killed.contains("signal 9"), "\(killed)")
            #expect(try tracers().count == 6)
        }

        @Test func aPreparationThatFailsMakesNoRun() async throws {
            let sandbox = try Sandbox("unprepared")
            let (answer, complaint) = try await exec(
                "touch ran", "true", "--prepare", "sh -c 'echo why >&2; exit 4'", "--prepare", "true", "--cleanup",
                "touch cleaned", "--trials", "1", in: sandbox, status: 2)
            #expect(answer.commands.map(\.runs) == [0, 1] && complaint.contains("--prepare ended with status 4: why"))
            let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.work)
            #expect(files == ["cleaned"], "what it left has to go all the same")
            let (_, second) = try await exec(
                "true", "--cleanup", "nothing-such", "--trials", "1", in: sandbox, status: 2)
            #expect(second.contains("--cleanup nothing-such cannot be started"))
        }

        @Test func aCommandWorksInTheFolderAndTheEnvironmentOfTheUser() async throws {
            let sandbox = try Sandbox("place")
            try sandbox.write("what stands in it", to: "in.txt")
            let ended = try await sandbox.fetchbench(
                [
                    "exec", "cat > copy; pwd > folder; echo $MINE-$HOME > variables", "--input", "in.txt", "--trials",
                    "1", "--quiet",
                ], environment: ["MINE": "own"])
            #expect(ended.status == 0 && ended.complaint.isEmpty, "\(ended.complaint)")
            let text = { (name: String) in try String(contentsOfFile: sandbox.work + "/" + name, encoding: .utf8) }
            #expect(try text("copy") == "what stands in it" && text("folder") == sandbox.work + "\n")
            #expect(try text("variables") == "own-\(sandbox.home)\n")
        }

        /// Without a shell, a program gets the arguments that a shell would pass.
        @Test func wordsAreThoseOfAShell() async throws {
            let sandbox = try Sandbox("words")
            try sandbox.write("import sys\nopen(sys.argv[1], 'w').write(repr(sys.argv[2:]))\n", to: "words.py")
            let rest = #"plain 'a  b' "c \"d\" \x" e\ f '' "it's" x'y'z --k='v w' ü "#
            let (answer, _) = try await exec("python3 words.py own \(rest)", "--trials", "1", in: sandbox, status: 0)
            #expect(answer.commands[0].shell == nil)
            let shell = try await sandbox.tool("sh", "-c", "python3 words.py shell \(rest)")
            #expect(shell.status == 0)
            let found = ["own", "shell"].map { FileManager.default.contents(atPath: sandbox.work + "/" + $0) }
            #expect(found[0] == found[1] && found[0] != nil)
            let (named, _) = try await exec(
                "echo \"$0\" | true", "--shell", "bash", "--trials", "1", in: sandbox, status: 0)
            #expect(named.commands[0].shell == "bash -c")
        }

        @Test func survivorsOfACommandAreKilledAndReported() async throws {
            let sandbox = try Sandbox("orphan")
            // Ends once both children have executed `sleep`: until then they are copies of the shell, by its name.
            let command = """
                setsid sleep 100 & first=$!; sleep 100 &
                until grep -qx sleep /proc/$first/comm && grep -qx sleep /proc/$!/comm; do :; done
                """
            let (answer, _) = try await exec(command, "--trials", "1", in: sandbox, status: 0)
            #expect(answer.trials[0].outlived == ["sleep"])
            #expect(answer.warnings.contains { $0.contains("sleep") })
        }
    }
}
