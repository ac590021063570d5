// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

extension EndToEnd {
    /// Any command is a mode: measured, verified and stored like the others.
    @Suite struct Exec {
        static let plan = ["run", "--asset", "64KiB", "--rate", "unlimited", "--render", "none", "--trials", "1"]
        static let curl = "curl=curl -s -o {file} {url}"
        static let wget = "wget=wget -q -O {file} {url}"
        static let python = "python=python3 get.py {url} {file}"
        private static let deaf = "deaf=true {url}"
        private static let picky = "picky=sh -c 'curl -so $1 $0; test $(stat -c %s $1) -gt 1024' {url} {file}"

        @Test func commandsStandInOneTableWithTheModes() async throws {
            let sandbox = try Sandbox("exec")
            try sandbox.write("import sys, urllib.request as u; u.urlretrieve(*sys.argv[1:])", to: "get.py")
            let commands = [Self.curl, Self.wget, Self.python, Self.deaf, Self.picky].flatMap { ["--exec", $0] }
            let ended = try await sandbox.fetchbench(Self.plan + ["--mode", "raw"] + commands, status: 0)
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
                let whole = try row.number("peak_resident_bytes")
                #expect(whole >= Double(peak))
                let growth = try row.number("peak_resident_growth_bytes")
                #expect(growth == whole - (try row.number("baseline_resident_bytes")))
                #expect(try row.number("copies_held_ratio") == growth / 65536)
            }
            let said = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for (mode, reason) in [("deaf", "seems to ignore {url}"), ("picky", "KiB the command ended with")] {
                let row = try #require(try run.rows(ofMode: mode).first)
                #expect(row["outcome"] == "completed" && row["copies_held_ratio"] == "")
                #expect(row["peak_resident_growth_bytes"] == row["peak_resident_bytes"])
                #expect(said.contains(reason))
            }
        }

        @Test func armOfACommandIsProvenOrRefused() async throws {
            let sandbox = try Sandbox("jemalloc")
            let ended = try await sandbox.fetchbench(
                Self.plan + ["--allocator", "jemalloc", "--exec", Self.curl, "--exec", "bare=env -i /bin/true {url}"],
                status: 2)
            guard !sandbox.runFolders().isEmpty else {
                #expect(ended.complaint.contains("jemalloc"), "where there is none")
                return
            }
            let traces = try StoredTraces(sandbox.onlyRun())
            #expect(traces.trials(of: "curl").map(\.outcome.kind) == ["completed"])
            #expect(try traces.trace(of: "curl").processes.allSatisfy(\.mapsJemalloc))
            let bare = try #require(traces.trials(of: "bare").first?.outcome)
            #expect(bare.kind == "failed")
            #expect(bare.detail.hasPrefix("started with jemalloc, but the process runs on "), "\(bare.detail)")
        }

        @Test func peakIsTheOneThatTheKernelShowsAtTheEnd() async throws {
            let sandbox = try Sandbox("peak")
            let harness = try sandbox.start([
                "run", "--asset", "64MiB", "--rate", "120MiB", "--render", "none", "--trials", "2", "--exec", Self.curl,
                "--exec", Self.wget, "--ballast", "300MiB",
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
            for method in ["automatic", "polled"] {
                let ended = try await sandbox.fetchbench(words + ["--method", method])
                // Where the kernel lets nothing be traced, processes are polled anyway.
                guard method == "polled" || ended.status == 0 else {
                    #expect(ended.output.contains("--method polled"), "\(ended.output)")
                    continue
                }
                #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
                #expect(ended.output.contains("polled every millisecond"), "\(ended.output)")
                #expect(ended.output.contains("polled_high_water_mark"))
            }
        }
    }

    /// The inputs of commands: arguments and paths of any bytes, and a standard input that every run reads.
    @Suite struct ExecInputs {
        /// Runs a script in which `$FB` is `fetchbench`, as only a shell can write bytes that are not UTF-8.
        private func shell(_ script: String, in sandbox: Sandbox, within seconds: Double = 60) async throws -> Ended {
            try await sandbox.start(
                BuiltBinary.tool("bash"), ["-c", "set -e; \(script)"], environment: ["FB": BuiltBinary.path]
            ).end(within: seconds)
        }

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

        @Test(arguments: ["--input /dev/stdin <file", "--input <(cat file)"])
        func everyRunReadsTheWholeInput(how: String) async throws {
            let sandbox = try Sandbox("input")
            try sandbox.write(String(repeating: "abc\n", count: 1000), to: "file")
            let ended = try await shell(
                #""$FB" exec --trials 3 --format commands \#(Self.counting) \#(how)"#, in: sandbox)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(try ExecAnswer(ended.output).commands.map(\.runs) == [3])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
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
    }
}
