// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

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

    /// What stacks through a function hold.
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

        @Test("a program of another C library is told so before it is started")
        func otherLibrary() async throws {
            let sandbox = try Sandbox()
            try await Self.compileHolder("musl", ["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"], in: sandbox)
            try "#!\(sandbox.work)/musl\n".write(toFile: sandbox.work + "/script", atomically: true, encoding: .utf8)
            #expect(chmod(sandbox.work + "/script", 0o755) == 0)
            for name in ["musl", "script"] {
                let ended = try await sandbox.fetchbench(
                    "explain", "--exec", "other=\(sandbox.work)/\(name) 1",
                    within: 250)
                #expect(ended.status == 2)
                #expect(ended.complaint.contains("glibc") && ended.complaint.contains("/lib/ld-musl-x86_64.so.1"))
            }
        }
    }
}
