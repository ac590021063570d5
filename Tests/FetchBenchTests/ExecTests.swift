// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Any command is a mode: measured, verified and stored like the others.
    @Suite struct Exec {
        static let plan = [
            "run", "--asset", "64KiB", "--rate", "unlimited", "--render", "none", "--trials", "1",
        ]
        static let curl = "curl=curl -s -o {file} {url}"
        static let wget = "wget=wget -q -O {file} {url}"
        static let python =
            "python=python3 -c 'import sys, urllib.request as u; u.urlretrieve(sys.argv[1], sys.argv[2])' {url} {file}"

        @Test func commandsStandInOneTableWithTheModes() async throws {
            let sandbox = try Sandbox("exec")
            let commands = ["--exec", Self.curl, "--exec", Self.wget, "--exec", Self.python]
            let ended = try await sandbox.fetchbench(Self.plan + ["--mode", "raw"] + commands)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            let digest = try #require(try run.record().plan.assets.first?.sha256)
            let traces = try StoredTraces(run)
            for mode in ["raw", "curl", "wget", "python"] {
                #expect(ended.output.contains("\n\(mode) "))
                let row = try #require(try run.rows(ofMode: mode).first)
                #expect(row["outcome"] == "completed")
                #expect(row["body_bytes"] == "65536" && row["body_sha256"] == digest, "\(mode)")
                #expect(try row.number("fetch_duration_ns") > 0)
                guard mode != "raw" else { continue }
                let trace = try traces.trace(of: mode)
                #expect(trace.exitStatus == 0 && !trace.timedOut)
                #expect(["exit_stops", "polled_high_water_mark"].contains(trace.method))
                #expect(trace.processes.first?.name.hasPrefix(mode) == true)
                let peak = try #require(trace.processes.map(\.peak.residentBytes).max())
                #expect(peak > 1 << 20)
                // A process counts whole, and several of them never less than the largest alone.
                #expect(try row.number("peak_resident_growth_bytes") >= Double(peak))
            }
        }

        /// A command that goes wrong, and what is stored of it.
        struct Mishap {
            var name: String
            var command: String
            var kind: String
            var detail: [String]
        }

        static let mishaps = [
            Mishap(
                name: "wrong", command: "sh -c 'head -c 65536 /dev/zero > {file}' {url}", kind: "wrong_body",
                detail: ["SHA-256"]),
            Mishap(
                name: "short", command: "sh -c 'printf 0123456789 > {file}' {url}", kind: "wrong_body",
                detail: ["10 bytes instead of 65536"]),
            Mishap(name: "nothing", command: "true {url} {file}", kind: "failed", detail: ["no_file", "{file}"]),
            Mishap(
                name: "status", command: "sh -c 'echo first >&2; echo last words >&2; exit 3' {url} {file}",
                kind: "failed",
                detail: ["status 3", "last words"]),
            Mishap(
                name: "absent", command: "no-such-program {url}", kind: "failed",
                detail: ["no-such-program", "No such file or directory"]),
            Mishap(
                name: "signal", command: "sh -c 'kill -SEGV $$' {url}", kind: "failed", detail: ["Segmentation fault"]),
            Mishap(
                name: "hang", command: "sh -c 'sleep 100 & sleep 100' {url}", kind: "timed_out", detail: ["--timeout"]),
        ]

        @Test func everyMishapIsAStoredOutcome() async throws {
            let sandbox = try Sandbox("mishaps")
            let commands = Self.mishaps.flatMap { ["--exec", "\($0.name)=\($0.command)"] }
            let ended = try await sandbox.fetchbench(Self.plan + ["--timeout", "1"] + commands)
            #expect(ended.status == 2)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            let trials = try StoredTraces(sandbox.onlyRun())
            for mishap in Self.mishaps {
                let outcome = try #require(trials.trials(of: mishap.name).first?.outcome)
                #expect(outcome.kind == mishap.kind, "\(mishap.name): \(outcome)")
                for words in mishap.detail {
                    #expect(outcome.detail.contains(words), "\(mishap.name): \(outcome)")
                    #expect(ended.complaint.contains(words))
                }
                #expect(ended.unwrapped.contains("64KiB/\(mishap.name)/none/glibc: 1 of 1 trials \(mishap.kind)"))
            }
            let status = try #require(trials.trials(of: "status").first?.outcome)
            #expect(status.detail.contains("first | last words"), "\(status)")
            #expect(try trials.trace(of: "hang").timedOut)
        }

        @Test func aCommandsTreeIsStoppedByTheMemoryLimit() async throws {
            let sandbox = try Sandbox("greedy")
            // Each of both stays below the limit for a while; it is the sum that counts.
            let hoard = "import time\na = []\nwhile True:\n a.append(bytearray(1 << 20))\n time.sleep(0.005)"
            let path = try sandbox.write(hoard, to: "hoard.py")
            let ended = try await sandbox.fetchbench(
                Self.plan + ["--mode", "raw", "--memory-limit", "300MiB"]
                    + ["--exec", "greedy=sh -c 'python3 \(path) & python3 \(path)' {url}"], within: 60)
            #expect(ended.status == 2)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            let run = try sandbox.onlyRun()
            let traces = try StoredTraces(run)
            let outcome = try #require(traces.trials(of: "greedy").first?.outcome)
            #expect(outcome.kind == "over_limit", "\(outcome)")
            #expect(outcome.detail.contains("300.0 MiB") && outcome.detail.contains("--memory-limit"), "\(outcome)")
            let reached = try #require(traces.trace(of: "greedy").overLimitBytes)
            #expect(reached > 300 << 20 && reached < 2 << 30)
            #expect(try run.rows(ofMode: "raw").map { $0["outcome"] } == ["completed"])
        }

        /// A program in Swift ends by its signal, at once, and its reason is the last word: no backtracer joins in.
        @Test func aSwiftCommandThatTrapsIsStoredByItsReason() async throws {
            let sandbox = try Sandbox("trap")
            let command = "trap='\(BuiltBinary.neighbour("behaviour-probes"))' trap {url} ."
            let ended = try await sandbox.fetchbench(
                Self.plan + ["--exec", command], environment: ["SWIFT_BACKTRACE": "enable=yes"])
            #expect(ended.status == 2)
            let run = try StoredTraces(sandbox.onlyRun())
            let outcome = try #require(run.trials(of: "trap").first?.outcome)
            #expect(outcome.kind == "failed" && outcome.detail.contains("ended by signal"), "\(outcome)")
            #expect(outcome.detail.contains("Fatal error: Duplicate values for key"), "\(outcome)")
            #expect(outcome.detail.contains(": file NativeDictionary.swift, line "), "\(outcome)")
            #expect(try run.trace(of: "trap").processes.count == 1, "no backtracer in the tree")
        }

        @Test func survivorsOfACommandAreKilledAndNoted() async throws {
            let sandbox = try Sandbox("daemon")
            let command = "daemon=sh -c 'setsid sleep 100 & curl -s -o {file} {url}'"
            let ended = try await sandbox.fetchbench(Self.plan + ["--exec", command])
            #expect(ended.status == 0)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            let run = try sandbox.onlyRun()
            let trial = try #require(try StoredTraces(run).trials(of: "daemon").first)
            #expect(trial.outcome.kind == "completed")
            let outlived = trial.report?.command?.processes.filter(\.outlived).map(\.name)
            #expect(outlived == ["sleep"])
            let isNoted = try run.record().warnings.contains { $0.text.contains("sleep") }
            #expect(isNoted, "a reader of the table has to learn of it, too")
        }

        @Test func armOfACommandIsProvenOrRefused() async throws {
            let sandbox = try Sandbox("jemalloc")
            let ended = try await sandbox.fetchbench(
                Self.plan + ["--allocator", "jemalloc", "--exec", Self.curl, "--exec", "bare=env -i /bin/true {url}"])
            #expect(ended.status == 2)
            let doctor = try await sandbox.fetchbench("doctor")
            guard !doctor.output.contains(#/missing +allocator jemalloc /#) else {
                #expect(ended.complaint.contains("jemalloc"))
                return
            }
            let traces = try StoredTraces(sandbox.onlyRun())
            #expect(traces.trials(of: "curl").map(\.outcome.kind) == ["completed"])
            #expect(try traces.trace(of: "curl").processes.allSatisfy(\.mapsJemalloc))
            let bare = try #require(traces.trials(of: "bare").first?.outcome)
            #expect(bare.kind == "failed")
            #expect(bare.detail.hasPrefix("started with jemalloc, but the process runs on "), "\(bare.detail)")
        }

        @Test(arguments: [
            ("curl -o {file} {url}", "NAME=command"), ("=curl", "NAME=command"), ("a b=curl", "NAME=command"),
            ("x=", "missing command"), ("x=  ", "missing command"), ("x=curl 'a {url}", "quote at position 6"),
            ("x=curl \"a {url}", "quote at position 6"), ("raw=curl {url}", "'raw' is taken"),
        ])
        func wrongCommandIsWrongUsage(command: String, words: String) async throws {
            let sandbox = try Sandbox("usage")
            let ended = try await sandbox.fetchbench("run", "--exec", command)
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(words))
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func aNameIsGivenOnce() async throws {
            let sandbox = try Sandbox("usage")
            let ended = try await sandbox.fetchbench("run", "--exec", "x=true", "--exec", "x=false")
            #expect(ended.status == 64)
            #expect(ended.complaint.contains("'x' is taken"))
        }

        @Test func peakIsTheOneThatTheKernelShowsAtTheEnd() async throws {
            let sandbox = try Sandbox("peak")
            let harness = try sandbox.start([
                "run", "--asset", "64MiB", "--rate", "120MiB", "--render", "none", "--trials", "2", "--exec",
                Self.curl, "--exec", Self.wget, "--ballast", "300MiB",
            ])
            let marks = Mutex(HighWaterMarks(of: sandbox, named: ["curl", "wget"]))
            await harness.watch(every: 0.0005) { marks.withLock { $0.look() } }
            #expect(try await harness.end(within: 20).status == 0)
            let traces = try StoredTraces(sandbox.onlyRun())
            for mode in ["curl", "wget"] {
                let reported = traces.trials(of: mode).compactMap { $0.report?.command?.processes.first?.peak }
                let seen = marks.withLock { $0.peaks[mode] ?? [] }
                #expect(reported.count == 2 && seen.count == 2)
                for (reported, seen) in zip(reported.map(\.residentBytes), seen) {
                    #expect(abs(reported - seen) <= 512 * 1024, "\(mode): \(reported) reported, \(seen) seen")
                }
            }
        }
    }
}

extension Conduct {
    /// Programs that use `ptrace` themselves, as LeakSanitizer, strace and gdb do.
    @Suite struct ExecMethods {
        /// Asks to be traced by its parent, which the kernel refuses a process that is traced already.
        private static let tracee = """
            import ctypes, sys
            sys.exit("ptrace: Operation not permitted" if ctypes.CDLL(None).ptrace(0, 0, 0, 0) else 0)
            """

        @Test func aTracedProgramThatTracesFailsWithAHintAndIsPolledOnRequest() async throws {
            let sandbox = try Sandbox("ptrace")
            try sandbox.write(Self.tracee, to: "tracee.py")
            let words = try [
                "exec", "\(BuiltBinary.tool("python3")) tracee.py", "--trials", "1", "--format", "table,commands",
            ]
            let traced = try await sandbox.fetchbench(words)
            // Where the kernel lets nothing be traced, processes are polled anyway.
            if traced.status != 0 { #expect(traced.output.contains("--method polled"), "\(traced.output)") }
            let polled = try await sandbox.fetchbench(words + ["--method", "polled"])
            #expect(polled.status == 0, "\(polled.output)\(polled.complaint)")
            #expect(polled.output.contains("polled every millisecond"), "\(polled.output)")
            #expect(polled.output.contains("polled_high_water_mark"))
        }
    }
}

extension Conduct {
    /// The inputs of commands: arguments and paths of any bytes, and a standard input that every run reads.
    @Suite struct ExecInputs {
        /// Runs a script in which `$FB` is `fetchbench`, as only a shell can write bytes that are not UTF-8.
        private func shell(_ script: String, in sandbox: Sandbox, within seconds: Double = 60) async throws -> Ended {
            try await sandbox.start(
                BuiltBinary.tool("bash"), ["-c", "set -e; \(script)"], environment: ["FB": BuiltBinary.path]
            ).end(within: seconds)
        }

        /// The bytes of a file, as `od` shows them.
        private func bytes(of file: String, in sandbox: Sandbox) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: sandbox.work + "/" + file)))
        }

        @Test func argumentsVariablesAndFoldersArePassedOnUnchanged() async throws {
            let sandbox = try Sandbox("bytes")
            let ended = try await shell(
                #"""
                mkdir $'d\xE9' && cd $'d\xE9'
                printf '#!/bin/sh\nprintf %%s "$1" "$X" >../out; printf %%s "${PWD##*/}" >>../out\n' >$'p\xFF'
                chmod +x $'p\xFF'
                export X=$'\xC3'
                "$FB" exec --trials 1 --no-shell --prepare $'touch ../prepared\xFE' $'./p\xFF "a\xFF\xFE\xC3\xA9"' --format commands
                """#, in: sandbox)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(
                try bytes(of: "out", in: sandbox)
                    == Array("a".utf8) + [0xFF, 0xFE, 0xC3, 0xA9, 0xC3] + Array("d".utf8) + [0xE9])
            let answer = try ExecAnswer(ended.output)
            #expect(answer.commands.map(\.name) == [#"./p\xFF "a\xFF\xFEé""#], "shown escaped")
            let names = try await shell("ls -b", in: sandbox).output.split(separator: "\n")
            #expect(names.contains(#"prepared\376"#))
        }

        /// Stored commands keep their bytes, so that the printed command and `--resume` run the same one.
        @Test func storedCommandsKeepTheirBytes() async throws {
            let sandbox = try Sandbox("stored")
            let first = try await shell(
                #""$FB" exec --trials 2 --output results --no-shell $'./check \xE9'"#, in: sandbox)
            #expect(first.status == 2, "the program does not exist")
            let run = try sandbox.onlyRun()
            let reproduce = try #require(
                try run.text(of: "run.json").split(separator: "\n").first { $0.contains("\"reproduce\"") })
            #expect(reproduce.contains(#"$'\\xE9'"#), "\(reproduce)")
            let page = try run.text(of: "report.html")
            #expect(page.contains(#"./check \xE9"#) && !page.contains("\u{FFFD}"))
        }

        /// Files of fetchbench's own have names in UTF-8: Foundation cannot open others.
        @Test func aPathOfFetchbenchsOwnThatIsNotUTF8IsRefused() async throws {
            let sandbox = try Sandbox("own-path")
            let ended = try await shell(#""$FB" exec --trials 1 --output $'r\xE9' true"#, in: sandbox)
            #expect(ended.status == 2 && ended.complaint.contains("UTF-8"), "\(ended.complaint)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work).isEmpty)
        }

        private static let counting = #"'test "$(cat | wc -c)" = 4000'"#

        @Test(arguments: [
            "--input /dev/stdin <file", "--input /dev/fd/0 <file", "--input file",
            "--input /proc/self/fd/3 3<file", "--input <(cat file)",
        ])
        func everyRunReadsTheWholeInput(how: String) async throws {
            let sandbox = try Sandbox("input")
            try sandbox.write(String(repeating: "abc\n", count: 1000), to: "file")
            let ended = try await shell(
                #""$FB" exec --trials 3 --format commands \#(Self.counting) \#(how)"#, in: sandbox)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(try ExecAnswer(ended.output).commands.map(\.runs) == [3])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func aPipeIsKeptForAllRuns() async throws {
            let sandbox = try Sandbox("piped")
            let ended = try await shell(
                "yes abc | head -n 1000 | \"$FB\" exec --trials 3 \(Self.counting) --input /dev/stdin --format commands",
                in: sandbox)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(try ExecAnswer(ended.output).commands.map(\.runs) == [3])
        }

        /// None of them blocks, whoever has made it.
        @Test(arguments: ["pipe", "/dev/zero", ".", "nowhere"])
        func inputsThatRunsCannotReadRepeatedlyAreRefused(path: String) async throws {
            let sandbox = try Sandbox("refused")
            try #require(mkfifo(sandbox.work + "/pipe", 0o600) == 0)
            let ended = try await sandbox.fetchbench("exec", "cat", "--input", path, within: 30)
            #expect(ended.status == 64 && ended.complaint.contains("--input: \(path)"), "\(ended.complaint)")
        }

        @Test func aPipeThatNeverEndsCanBeInterrupted() async throws {
            let sandbox = try Sandbox("endless-pipe")
            let process = try sandbox.start(
                BuiltBinary.tool("bash"), ["-c", #"exec "$FB" exec cat --input /dev/stdin < <(sleep 100)"#],
                environment: ["FB": BuiltBinary.path])
            // Until then the signal would end the shell, or a fetchbench that is still starting.
            let isCaught = try await eventually(within: 60) { ProcessTable.catches(SIGINT, process.identifier) }
            #expect(isCaught)
            process.send(SIGINT)
            let ended = try await process.end(within: 60)
            #expect(ended.status == 130, "\(ended.status) \(ended.complaint)")
        }

        /// Half of a stored run that never ends, or waits for a writer.
        @Test(arguments: ["run.json", "trials.jsonl", "samples.csv"], ["pipe", "zero"])
        func aStoredFileThatIsNoFileEndsTheReport(file: String, kind: String) async throws {
            let sandbox = try Sandbox("no-file")
            let ended = try await sandbox.fetchbench("exec", "true", "--trials", "1", "--output", "results")
            #expect(ended.status == 0)
            let path = try sandbox.onlyRun().folder + "/" + file
            try? FileManager.default.removeItem(atPath: path)
            if kind == "pipe" {
                try #require(mkfifo(path, 0o600) == 0)
            } else {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
            }
            let report = try await sandbox.fetchbench(
                "report", try sandbox.onlyRun().folder, "--format", "html", within: 30)
            #expect(report.status == 2 && report.complaint.contains("not a regular file"), "\(report)")
        }
    }
}
