// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// Trial programs that are not there, or are something else: it is said before anything runs.
    @Suite struct TrialPrograms {
        private static let plan = [
            "run", "--asset", "4KiB", "--render", "none", "--trials", "1", "--rate", "unlimited",
        ]

        /// What a program really holds, down to the libraries of its libraries.
        @Test(arguments: [
            ("fetchbench", ["libcurl", "libFoundationNetworking"]),
            ("trial-raw", ["libcurl", "libFoundation.so", "libFoundationNetworking", "libcrypto"]),
            ("trial-nio", ["libcurl", "libFoundation.so", "libFoundationNetworking", "libcrypto"]),
            ("trial-curl", ["libFoundation.so", "libFoundationNetworking"]),
            ("trial-async-http-client", ["libcurl", "libFoundationNetworking"]),
        ])
        func aProgramLoadsNoOtherClient(name: String, foreign: [String]) async throws {
            let sandbox = try Sandbox("loads")
            let ended = try await sandbox.start(BuiltBinary.tool("ldd"), [BuiltBinary.neighbour(name)]).end(within: 20)
            #expect(ended.status == 0 && ended.output.contains("libswiftCore"), "\(ended.complaint)")
            for library in foreign { #expect(!ended.output.contains(library), "\(name) loads \(library)") }
        }

        /// A harness in a folder of its own, with some of its programs.
        private func harness(_ sandbox: Sandbox, without missing: String...) throws -> String {
            let path = try BuiltBinary.copied(to: sandbox.path + "/bin")
            for name in missing { try FileManager.default.removeItem(atPath: "\(sandbox.path)/bin/\(name)") }
            return path
        }

        private func script(_ sandbox: Sandbox, _ text: String, mode: Int = 0o755) throws -> String {
            try sandbox.write("#!/bin/sh\n" + text + "\n", to: "program")
            let path = sandbox.work + "/program"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }

        @Test func aModeOfAProgramThatIsNotBuiltIsToldHowToGet() async throws {
            let sandbox = try Sandbox("missing")
            let path = try harness(sandbox, without: "trial-nio")
            let unknown = try await sandbox.start(path, Self.plan + ["--mode", "nio-stream"]).end(within: 30)
            #expect(unknown.status == 64)
            #expect(unknown.complaint.contains("trial-nio") && unknown.complaint.contains("swift build"))
            let others = try await sandbox.start(path, Self.plan + ["--mode", "raw"]).end(within: 30)
            #expect(others.status == 0, "\(others.complaint)")
            let list = try await sandbox.start(path, ["list", "modes"]).end(within: 30)
            #expect(list.status == 0 && list.output.contains("raw-drop") && !list.output.contains("nio-stream"))
            #expect(list.complaint.contains("trial-nio"))
        }

        @Test func withoutAnyProgramNothingRuns() async throws {
            let sandbox = try Sandbox("none")
            let folder = sandbox.path + "/bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: BuiltBinary.path, toPath: folder + "/fetchbench")
            let ended = try await sandbox.start(folder + "/fetchbench", Self.plan).end(within: 30)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("no trial program") && ended.complaint.contains("swift build"))
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test(arguments: [
            ("exit 0", 0o755, "does not describe itself"),
            (
                "echo '{\"protocols\":[7,9],\"modes\":[],\"render_models\":[],\"allocator\":{\"name\":\"glibc\",\"configuration\":{}}}'",
                0o755, "versions 7 to 9"
            ),
            ("exit 0", 0o644, "cannot be executed"),
        ])
        func aProgramThatIsNoneIsRefused(text: String, mode: Int, words: String) async throws {
            let sandbox = try Sandbox("refused")
            let program = try script(sandbox, text, mode: mode)
            let ended = try await sandbox.fetchbench(Self.plan + ["--mode", "raw", "--program", program])
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.complaint.contains(words) && ended.complaint.contains("program"), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func aProgramThatIsNotThereIsRefused() async throws {
            let sandbox = try Sandbox("absent")
            let ended = try await sandbox.fetchbench(Self.plan + ["--mode", "raw", "--program", "nowhere/trial-mine"])
            #expect(ended.status == 2 && ended.complaint.contains("nowhere/trial-mine cannot be used: it is not there"))
        }

        /// Somebody's own program is measured like one of ours, and its modes come first.
        @Test func aProgramThatIsNamedIsMeasured() async throws {
            let sandbox = try Sandbox("named")
            let path = try harness(sandbox, without: "trial-urlsession", "trial-curl")
            try FileManager.default.moveItem(
                atPath: sandbox.path + "/bin/trial-raw", toPath: sandbox.work + "/mine")
            let lacks = try await sandbox.start(path, Self.plan + ["--mode", "raw"]).end(within: 30)
            #expect(lacks.status == 64)
            let ended = try await sandbox.start(path, Self.plan + ["--mode", "raw", "--program", "./mine"])
                .end(within: 30)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "raw").map { $0["outcome"] } == ["completed"])
            #expect(try run.text(of: "report.md").contains("--program"))
        }
    }
}
