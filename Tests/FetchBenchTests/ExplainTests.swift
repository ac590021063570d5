// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    @Suite struct ExplainTests {
        @Test(arguments: ["glibc", "jemalloc"]) func bothCopiesOfADataTaskAreNamed(allocator: String)
            async throws
        {
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

        @Test(arguments: [
            ["--mode", "raw", "--asset", "hero", "--render", "thumbnail"],
            ["--mode", "download", "--asset", "hero", "--scenario", "coalesce", "--render", "none"],
        ])
        func nineTenthsOfWhatRendersAndCollectsHasAName(arguments: [String]) async throws {
            let profile = try await ExplainedProfile.of(arguments + ["--rate", "unlimited", "--allocator", "glibc"])
            // A thumbnail maps more than it allocates: what is neither a stack's nor a file's has no name.
            #expect(abs(profile.unattributed) <= profile.explainedPeak / 10)
            #expect(profile.namedShare >= 0.9)
        }

        /// Planted in the fetch and before the mark: a growth of so many MiB, in the lines of these files.
        @Test(arguments: [
            ("download", 16.0, "PlantedMemory\\.init\\(byteCount:\\), TrialMarker"),
            ("start", 8, ".*(?:TrialCourse|TrialMarker)"),
        ])
        func aRedComparisonNamesThePlantedLineAndStoresWhy(part: String, size: Double, place: String) async throws {
            let sandbox = try Sandbox()
            let ended = try await sandbox.fetchbench(
                "compare", "--base", BuiltBinary.path, "--head", BuiltBinary.path, "--plant", "\(part)=\(Int(size))MiB",
                "--asset", "64KiB", "--mode", part == "start" ? "raw" : part, "--render", "none", "--rate", "unlimited",
                status: 1, within: 250)
            let subject = part == "start" ? "anonymous at the mark" : "net peak"
            let finding = try #require(
                ended.unwrapped.split(separator: "\n").first { $0.hasPrefix("regressed: ") && $0.contains(subject) })
            #expect(part != "start" || finding.contains("; start and warm-up; "))
            let cause = try #require(
                finding.firstMatch(of: Regex<(Substring, Substring)>("; \\+([0-9.]+) MiB in \(place)\\.swift:[0-9]+")))
            #expect(abs(try #require(Double(cause.1)) - size) <= size / 20)
            let run = try sandbox.onlyRun()
            #expect(run.files.contains("explain.json"))
            #expect(try run.text(of: "judgement.md").contains(/Trial(Course|Marker)\.swift/))
        }

        @Test func aRunThatIsExplainedKeepsItAndIsComparedWith() async throws {
            let sandbox = try Sandbox()
            let plan = ["--mode", "raw", "--asset", "64KiB", "--render", "none", "--rate", "unlimited"]
            try await sandbox.fetchbench(
                ["run", "--explain", "--trials", "1", "--output", "results"] + plan, status: 0, within: 250)
            let run = try sandbox.onlyRun()
            let stored = run.folder
            for (words, shown) in [
                ([stored], "the kernel's figure"), (["--against", stored] + plan, "64KiB/raw/none/glibc: "),
                ([stored, "--format", "pprof,speedscope,folded", "--output", "profiles"], ""),
            ] {
                let ended = try await sandbox.fetchbench(["explain"] + words, status: 0, within: 250)
                #expect(shown.isEmpty || ended.output.contains(shown), "\(ended.output)")
            }
            try expectFilesForOtherViewers(in: sandbox.work + "/profiles")
            #expect(try run.text(of: "report.html").contains("unattributed"))
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

        /// Names that no file system takes, and two cases with one name for files.
        @Test func profilesGetAFileEachAndNoneIsOverwritten() async throws {
            let sandbox = try Sandbox()
            let long = String(repeating: "é", count: 400)
            try await sandbox.fetchbench(
                "exec", "true \(long)", "true \(long)!", "true", "true a:b", "true a-b", "--explain", "--trials", "1",
                "--output", "results", status: 0, within: 250)
            let run = try sandbox.onlyRun().folder
            for status in [Int32(0), 2] {
                let stored = try await sandbox.fetchbench(
                    "explain", run, "--format", "folded", "--output", "profiles", status: status)
                #expect(status == 0 || stored.complaint.contains("1 of 5 files"), "\(stored.complaint)")
                let names = sandbox.runFolders(in: "profiles")
                #expect(names.count == 5 && names.allSatisfy { $0.utf8.count - sandbox.work.utf8.count <= 250 })
                // One file that is there already does not keep the others from being stored.
                let kept = try #require(names.first { $0.contains("/true-glibc") })
                for name in names where name != kept { try FileManager.default.removeItem(atPath: name) }
            }
            let early = try await sandbox.fetchbench(
                "explain", "--exec", "true=touch measured", "--format", "folded", "--output", "profiles", status: 2)
            #expect(early.complaint.contains("not overwritten"))
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/measured"), "before it was refused")
        }

        @Test func ctrlCStoresNothingThatIsUntrue() async throws {
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
            let run = try sandbox.onlyRun()
            #expect(!run.files.contains("explain.json"))
            try await sandbox.fetchbench("run", "--resume", run.folder, "--explain", status: 0, within: 250)
            #expect(run.files.contains("explain.json"))
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

    func bytes(through function: String) -> Int {
        holders.filter { $0.stack.contains { frames[$0].function.contains(function) } }
            .reduce(0) { $0 + $1.bytes }
    }

    static func of(
        _ arguments: [String], in sandbox: Sandbox? = nil, environment: [String: String] = [:]
    ) async throws -> Self {
        let ended = try await (sandbox ?? Sandbox()).fetchbench(
            ["explain", "--format", "json"] + arguments, status: 0, environment: environment, within: 250)
        return try JSONDecoder().decode(Self.self, from: Data(ended.output.utf8))
    }
}

extension EndToEnd {
    /// Which of a command's processes is explained, and which cannot be.
    @Suite struct ExplainedProcessTests {
        /// Compiles a program that holds as many MiB as its argument says.
        private static func compileHolder(_ name: String, _ option: String = "-O", in sandbox: Sandbox) async throws {
            try sandbox.write(
                """
                #include <stdlib.h>
                #include <string.h>
                int main(int count, char **words) {
                    size_t size = strtoul(words[1], 0, 10) << 20;
                    char *volatile block = malloc(size);
                    memset(block, 1, size);
                    return 0;
                }
                """, to: "\(name).c")
            let compiled = try await sandbox.tool("gcc", option, "-fno-builtin", "-o", name, "\(name).c")
            #expect(compiled.status == 0, "\(compiled.complaint)")
        }

        @Test func ofSeveralProcessesTheOneThatHeldMostIsExplainedAndNamed() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("large", in: sandbox)
            try await Self.compileHolder("fixed", "-static", in: sandbox)
            let command = "sh -c '\(sandbox.work)/fixed 10; \(sandbox.work)/large 20; true'"
            let profile = try await ExplainedProfile.of(["--exec", "several=\(command)"], in: sandbox)
            #expect(profile.process.name == "large")
            #expect(profile.holders.contains { $0.bytes >= 20 << 20 && $0.bytes < 21 << 20 })
        }

        @Test func librariesOfTheUserStayPreloadedInTheExplainedProcess() async throws {
            let sandbox = try Sandbox()
            try sandbox.write("int mocked_answer(void) { return 42; }", to: "mock.c")
            #expect(try await sandbox.tool("gcc", "-shared", "-fPIC", "-o", "mock.so", "mock.c").status == 0)
            let program = "import ctypes; assert ctypes.CDLL(None).mocked_answer() == 42; b = bytearray(24 << 20)"
            let profile = try await ExplainedProfile.of(
                ["--exec", "mocked=/usr/bin/python3 -c '\(program)'", "--allocator", "jemalloc"], in: sandbox,
                environment: ["LD_PRELOAD": sandbox.work + "/mock.so"])
            #expect(profile.holders.contains { $0.bytes >= 24 << 20 && $0.bytes < 25 << 20 })
        }

        @Test func aProgramThatReplacedItselfIsExplainedWithWhatItHeldBefore() async throws {
            let program = "import os; b = bytearray(24 << 20); os.execv(\"/bin/true\", [\"true\"])"
            let profile = try await ExplainedProfile.of(["--exec", "two=/usr/bin/python3 -c '\(program)'"])
            #expect(profile.process.name == "python3")
            #expect(profile.holders.contains { $0.bytes >= 24 << 20 && $0.bytes < 25 << 20 })
        }

        @Test func programsThatCannotBeRecordedAreToldWhy() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("fixed", "-static", in: sandbox)
            try await Self.compileHolder("large", in: sandbox)
            try await Self.compileHolder("musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1", in: sandbox)
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
            // No other process is explained in the place of one that held most.
            let several = "several=sh -c '\(sandbox.work)/large 20; \(sandbox.work)/fixed 50; true'"
            let ended = try await sandbox.fetchbench(
                ["explain", "--exec", "true=/bin/true", "--exec", several] + commands, status: 2, within: 250)
            for words in ["it is statically linked", "large", "its own malloc", "/lib/ld-musl-x86_64.so.1", "glibc"] {
                #expect(ended.complaint.contains(words), "\(ended.complaint)")
            }
            #expect(ended.output.contains("true/glibc"))
        }
    }
}
