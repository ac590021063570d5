// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Commands that are programs of their own, `fetchbench-NAME`.
    @Suite struct Plugins {
        @Test func anUnknownWordBecomesTheProgramOfThatName() async throws {
            let sandbox = try Sandbox("plugin")
            _ = try sandbox.program(#"echo "$@"; exit 7"#, named: "fetchbench-hello")
            _ = try sandbox.program("echo other", named: "fetchbench-list")
            let path = ["PATH": sandbox.work + ":/usr/bin:/bin"]
            for (words, output) in [
                (["hello", "a b", "--help"], "a b --help\n"), (["help", "hello"], "--help\n"), (["hello"], "\n"),
                (["list", "allocators"], "jemalloc"), (["help"], "hello  \(sandbox.work)/fetchbench-hello\n"),
                (["help"], "\(sandbox.work)/fetchbench-list (not used"),
            ] {
                let ended = try await sandbox.fetchbench(words, environment: path)
                let isPlugin = words.contains("hello")
                #expect(ended.status == (isPlugin ? 7 : 0) && (!isPlugin || ended.complaint.isEmpty))
                #expect(isPlugin ? ended.output == output : ended.output.contains(output), "\(ended.output)")
            }
        }

        @Test func aProgramThatCannotRunOrCrashesIsTold() async throws {
            let sandbox = try Sandbox("bad-plugin")
            _ = try sandbox.program("exit 0", named: "fetchbench-locked", mode: 0o644)
            _ = try sandbox.program("kill -SEGV $$", named: "fetchbench-crash")
            try sandbox.write(program: "not a program", to: "fetchbench-text")
            let path = ["PATH": sandbox.work + ":/usr/bin:/bin"]
            for (name, status, said) in [
                ("locked", Int32(2), "fetchbench-locked"), ("text", 2, "fetchbench-text"), ("crash", -SIGSEGV, ""),
                ("../crash", 64, "error"),
            ] {
                let ended = try await sandbox.fetchbench(name, environment: path)
                #expect(
                    ended.status == status && (said.isEmpty || ended.complaint.contains(said)), "\(ended.complaint)")
            }
        }

        @Test func programsThatAreNotBuiltAreToldBeforeAnythingIsStored() async throws {
            let sandbox = try Sandbox("unbuilt-commands")
            let path = try BuiltBinary.copied(to: sandbox.path + "/bin")
            for (words, program) in [
                (["serve", "--tls", "ca.pem"], "fetchbench-origin"),
                (["behaviours", "--list"], "fetchbench-behaviours"),
                (["run", "--mode", "data", "--scheme", "https", "--asset", "1KiB"], "fetchbench-origin"),
            ] {
                let ended = try await sandbox.start(path, words).end(within: 30)
                #expect(ended.status == 2 && ended.output.isEmpty && ended.complaint.contains(program))
                #expect(ended.complaint.contains("make build"), "\(ended.complaint)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work).isEmpty)
            let help = try await sandbox.start(path, ["--help"]).end(within: 30)
            #expect(help.output.contains("not built: fetchbench-behaviours, fetchbench-origin"))
        }
    }
}
