// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct ExplainTests {
        @Test("both copies of a data task are named, and 95 % explained", arguments: ["glibc", "jemalloc"])
        func dataTask(allocator: String) async throws {
            let size = 64 << 20
            let profile = try await ExplainedProfile.of([
                "--mode", "data", "--asset", "64MiB", "--render", "none", "--rate", "unlimited", "--allocator",
                allocator,
            ])
            for function in ["byAppending", "completeTask"] {
                #expect(profile.bytes(through: function) > size * 95 / 100, "\(function)")
            }
            #expect(profile.stackShare >= 0.95)
            #expect(abs(profile.plainPeak - profile.explainedPeak) <= profile.plainPeak / 20)
            #expect(profile.recorder.ownBytes <= 8 << 20)
        }

        @Test(
            "nine tenths of what renders and collects has a name",
            arguments: [
                ["--mode", "raw", "--asset", "hero", "--render", "thumbnail"],
                ["--mode", "download", "--asset", "gallery", "--scenario", "gallery", "--render", "none"],
            ])
        func nineTenths(arguments: [String]) async throws {
            let profile = try await ExplainedProfile.of(arguments + ["--rate", "unlimited", "--allocator", "glibc"])
            // A thumbnail maps more than it allocates: what is neither a stack's nor a file's has no name.
            #expect(abs(profile.unattributed) <= profile.explainedPeak / 10)
            #expect(profile.namedShare >= 0.9)
        }

        @Test("a red comparison names the planted line, and stores why")
        func redComparison() async throws {
            let sandbox = try Sandbox()
            let ended = try await sandbox.fetchbench(
                "compare", "--base", BuiltBinary.path, "--head", BuiltBinary.path, "--plant", "download=16MiB",
                "--asset",
                "64KiB", "--mode", "download", "--render", "none", "--rate", "unlimited", "--output", "results",
                within: 250)
            #expect(ended.status == 1)
            let finding = try #require(
                ended.unwrapped.split(separator: "\n").first { $0.hasPrefix("regressed: ") && $0.contains("net peak") })
            let cause = try #require(
                finding.firstMatch(
                    of: /; \+([0-9.]+) MiB in PlantedMemory\.init\(byteCount:\), TrialMarker\.swift:[0-9]+/))
            #expect(abs(try #require(Double(cause.1)) - 16) <= 0.8)
            let folder = try #require(
                FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/results").first)
            let stored = sandbox.work + "/results/" + folder
            #expect(FileManager.default.fileExists(atPath: stored + "/explain.json"))
            #expect(try String(contentsOfFile: stored + "/judgement.md", encoding: .utf8).contains("PlantedMemory"))
            let annotations = try await sandbox.fetchbench("report", stored, "--format", "annotations")
            #expect(annotations.output.contains("TrialMarker.swift:"))
        }

        @Test("what regressed before the mark is named as well")
        func redStart() async throws {
            let sandbox = try Sandbox()
            let ended = try await sandbox.fetchbench(
                "compare", "--base", BuiltBinary.path, "--head", BuiltBinary.path, "--plant", "start=8MiB", "--asset",
                "64KiB", "--mode", "raw", "--render", "none", "--rate", "unlimited", "--output", "results", within: 250)
            #expect(ended.status == 1)
            let finding = try #require(
                ended.unwrapped.split(separator: "\n").first {
                    $0.hasPrefix("regressed: ") && $0.contains("anonymous at the mark")
                })
            let cause = try #require(
                finding.firstMatch(
                    of: /; start and warm-up; \+([0-9.]+) MiB in .*(TrialCourse|TrialMarker)\.swift:[0-9]+/))
            #expect(abs(try #require(Double(cause.1)) - 8) <= 0.4)
        }

        @Test("a run that is explained keeps it, and is compared with")
        func storedExplanation() async throws {
            let sandbox = try Sandbox()
            let plan = ["--mode", "raw", "--asset", "64KiB", "--render", "none", "--rate", "unlimited"]
            let ended = try await sandbox.fetchbench(
                ["run", "--explain", "--trials", "1", "--output", "results"] + plan, within: 250)
            #expect(ended.status == 0, "\(ended.complaint)")
            let folder = try #require(
                FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/results").first)
            let stored = "results/" + folder
            for (words, shown) in [
                ([stored], "the kernel's figure"), (["--against", stored] + plan, "64KiB/raw/none/glibc: "),
                ([stored, "--format", "pprof,speedscope,folded", "--output", "profiles"], ""),
            ] {
                let ended = try await sandbox.fetchbench(["explain"] + words, within: 250)
                #expect(ended.status == 0, "\(ended.complaint)")
                #expect(shown.isEmpty || ended.output.contains(shown), "\(ended.output)")
            }
            try expectFilesForOtherViewers(in: sandbox.work + "/profiles")
            let page = try String(contentsOfFile: sandbox.work + "/" + stored + "/report.html", encoding: .utf8)
            #expect(page.contains("unattributed"))
        }

        private func expectFilesForOtherViewers(in folder: String) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count == 3)
            for name in names {
                let bytes = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
                guard name.contains("folded") else { return #expect(bytes.count > 100, "\(name)") }
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                #expect(!lines.isEmpty && lines.allSatisfy { $0.wholeMatch(of: /.+ \d+/) != nil }, "\(lines)")
            }
        }

        @Test("names that no file system takes lose nothing")
        func longNames() async throws {
            let sandbox = try Sandbox()
            let long = String(repeating: "é", count: 400)
            let ended = try await sandbox.fetchbench(
                "exec", "true \(long)", "true \(long)!", "true", "--explain", "--trials", "1", "--output", "results",
                within: 250)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun().folder
            for status in [Int32(0), 2] {
                let stored = try await sandbox.fetchbench("explain", run, "--format", "folded", "--output", "profiles")
                #expect(stored.status == status, "\(stored.complaint)")
                #expect(status == 0 || stored.complaint.contains("1 of 3 files"), "\(stored.complaint)")
                let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/profiles")
                #expect(names.count == 3 && names.allSatisfy { $0.utf8.count <= 240 }, "\(names)")
                // One file that is there already does not keep the others from being stored.
                let kept = try #require(names.first { $0.hasPrefix("true-glibc") })
                for name in names where name != kept {
                    try FileManager.default.removeItem(atPath: sandbox.work + "/profiles/" + name)
                }
            }
        }

        @Test("Ctrl-C stores nothing that is untrue, and the run can be explained afterwards")
        func interrupted() async throws {
            let sandbox = try Sandbox()
            let started = try sandbox.start([
                "run", "--explain", "--mode", "data", "--asset", "16MiB", "--render", "none", "--trials", "1", "--rate",
                "10MiB", "--output", "results",
            ])
            #expect(try await eventually(within: 100) { started.complaint.contains("report: ") })
            started.send(SIGINT)
            let ended = try await started.end(within: 60)
            #expect(ended.status == 130)
            #expect(ended.complaint.contains("--explain"))
            let folder = try #require(
                FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/results").first)
            let stored = "results/" + folder
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/" + stored + "/explain.json"))
            let again = try await sandbox.fetchbench("run", "--resume", stored, "--explain", within: 250)
            #expect(again.status == 0, "\(again.complaint)")
            #expect(FileManager.default.fileExists(atPath: sandbox.work + "/" + stored + "/explain.json"))
        }

        @Test("cases with one name for files get a file each, and none is overwritten")
        func fileNames() async throws {
            let sandbox = try Sandbox()
            let arguments = [
                "explain", "--exec", "echo=/bin/echo {v}", "--parameter-list", "v=a:b,a-b", "--format", "folded",
                "--output", "profiles",
            ]
            for status in [Int32(0), 2] {
                let ended = try await sandbox.fetchbench(arguments)
                #expect(ended.status == status, "\(ended.complaint)")
                #expect(status == 0 || ended.complaint.contains("not overwritten"))
                #expect(status == 0 || !ended.complaint.contains("explaining"), "measured before it was refused")
                let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/profiles")
                #expect(names.count == 2)
            }
        }
    }
}

/// The parts of `explain --format json` that are looked at.
struct ExplainedProfile: Decodable {
    struct Frame: Decodable {
        let function: String
        let file: String?
        let line: Int?
    }
    struct Holder: Decodable {
        let stack: [Int]
        let bytes: Int
        let state: String
    }
    struct Residue: Decodable {
        let kind: String
        let bytes: Int
    }
    struct Recorder: Decodable {
        let ownBytes: Int
    }
    struct Process: Decodable {
        let identifier: Int
        let name: String
    }
    let process: Process
    let stackShare: Double
    let explainedPeak: Int
    let plainPeak: Int
    let frames: [Frame]
    let holders: [Holder]
    let residues: [Residue]
    let recorder: Recorder

    var unattributed: Int {
        explainedPeak - holders.reduce(0) { $0 + $1.bytes } - residues.reduce(0) { $0 + $1.bytes }
    }

    /// The part of the peak that stacks and files hold.
    var namedShare: Double {
        let files = residues.filter { $0.kind == "files" }.reduce(0) { $0 + $1.bytes }
        return stackShare + Double(files) / Double(explainedPeak)
    }

    /// The bytes held by stacks through a function.
    func bytes(through function: String) -> Int {
        holders.filter { $0.stack.contains { frames[$0].function.contains(function) } }
            .reduce(0) { $0 + $1.bytes }
    }

    /// Explains what arguments name.
    static func of(_ arguments: [String], in sandbox: Sandbox? = nil) async throws -> Self {
        let sandbox = try sandbox ?? Sandbox()
        let ended = try await sandbox.fetchbench(["explain", "--format", "json"] + arguments, within: 250)
        #expect(ended.status == 0, "\(ended.complaint)")
        return try JSONDecoder().decode(Self.self, from: Data(ended.output.utf8))
    }
}

extension EndToEnd {
    /// Which of a command's processes is explained, and which cannot be.
    @Suite struct ExplainedProcessTests {
        /// Compiles a program that holds as many MiB as its argument says.
        private static func compileHolder(_ name: String, _ options: [String] = [], in sandbox: Sandbox) async throws {
            let source = sandbox.work + "/\(name).c"
            try """
            #include <stdlib.h>
            #include <string.h>
            int main(int count, char **words) {
                size_t size = strtoul(words[1], 0, 10) << 20;
                char *volatile block = malloc(size);
                memset(block, 1, size);
                return 0;
            }
            """.write(toFile: source, atomically: true, encoding: .utf8)
            let compiled = try await sandbox.start(
                "/usr/bin/gcc", options + ["-fno-builtin", "-o", sandbox.work + "/" + name, source]
            ).end(within: 60)
            #expect(compiled.status == 0)
        }

        @Test("of several processes the one that held most is explained, and named")
        func largestProcess() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("large", in: sandbox)
            try await Self.compileHolder("fixed", ["-static"], in: sandbox)
            let command = "sh -c '\(sandbox.work)/fixed 10; \(sandbox.work)/large 20; true'"
            let profile = try await ExplainedProfile.of(
                ["--exec", "several=\(command)"], in: sandbox)
            #expect(profile.process.name == "large")
            #expect(profile.holders.contains { $0.bytes >= 20 << 20 && $0.bytes < 21 << 20 })
        }

        @Test("no other process is explained in the place of one that held most and cannot be recorded")
        func largestProcessIsNotRecorded() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("large", in: sandbox)
            try await Self.compileHolder("fixed", ["-static"], in: sandbox)
            let command = "sh -c '\(sandbox.work)/large 20; \(sandbox.work)/fixed 50; true'"
            let ended = try await sandbox.fetchbench(
                "explain", "--exec", "several=\(command)", within: 250)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("fixed") && ended.complaint.contains("large"))
        }

        @Test("a program that replaced itself is explained with what it held before")
        func programBefore() async throws {
            let program = "import os; b = bytearray(24 << 20); os.execv(\"/bin/true\", [\"true\"])"
            let profile = try await ExplainedProfile.of([
                "--exec", "two=/usr/bin/python3 -c '\(program)'",
            ])
            #expect(profile.process.name == "python3")
            #expect(profile.holders.contains { $0.bytes >= 24 << 20 && $0.bytes < 25 << 20 })
        }

        @Test("programs that cannot be recorded are told why, and the others are explained")
        func unrecordable() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("fixed", ["-static"], in: sandbox)
            try await Self.compileHolder("musl", ["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"], in: sandbox)
            _ = try sandbox.program("", named: "script")
            try sandbox.write("#!\(sandbox.work)/musl\n", to: "script")
            try sandbox.write(
                """
                #include <stddef.h>
                static char pool[1 << 20];
                static size_t used;
                void *malloc(size_t size) { used += (size + 15) & ~15ul; return pool + used - ((size + 15) & ~15ul); }
                void free(void *block) { (void)block; }
                int main(void) { return malloc(10) == NULL; }
                """, to: "own.c")
            let compiled = try await sandbox.tool("gcc", "-rdynamic", "-fno-builtin", "-o", "own", "own.c")
            #expect(compiled.status == 0)
            let commands = ["fixed 1", "musl 1", "script 1", "own"].flatMap {
                ["--exec", "\($0.prefix { $0 != " " })=\(sandbox.work)/\($0)"]
            }
            let ended = try await sandbox.fetchbench(["explain", "--exec", "true=/bin/true"] + commands, within: 250)
            #expect(ended.status == 2)
            for words in ["it is statically linked", "its own malloc", "/lib/ld-musl-x86_64.so.1", "glibc"] {
                #expect(ended.complaint.contains(words), "\(ended.complaint)")
            }
            #expect(ended.output.contains("true/glibc"))
        }
    }
}
