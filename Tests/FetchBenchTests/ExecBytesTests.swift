// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

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
        func whatCannotBeReadByEveryRunIsRefusedAtOnce(path: String) async throws {
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
