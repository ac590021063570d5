// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// `fetchbench init`: what it writes can be used as it is.
    @Suite struct Starting {
        /// What is measured, in the words of a user, and the services a workflow is for.
        static let subjects: [[String]] = [
            [], ["--ci", "gitlab"],
            ["--exec", "head=sh -c 'head -c 5 \"$1\" > \"$2\"' - {url} {file}", "--ci", "none"],
            ["--exec", "tool=true {url}", "--exec", "other=true", "--tarball", "https://127.0.0.1/it's.tar.xz"],
        ]

        @Test(arguments: subjects)
        func whatIsWrittenParses(arguments: [String]) async throws {
            let sandbox = try Sandbox("init")
            let ended = try await sandbox.fetchbench(["init"] + arguments)
            #expect(ended.status == 0, "\(ended.complaint)")
            let written = ended.output.split(separator: "\n").filter { $0.hasPrefix("wrote ") }.map { $0.dropFirst(6) }
            #expect(written.count == (arguments.contains("none") ? 1 : 2))
            // The command that it prints takes the suite that it wrote.
            let next = try #require(ended.output.split(separator: "\n").last.map(String.init))
            #expect(try await sandbox.words(of: next) == ["check", "--suite", "fetchbench.yml"])
            for path in written { #expect(try await yaml(String(path), in: sandbox) == 0, "\(path)") }
        }

        private func yaml(_ path: String, in sandbox: Sandbox) async throws -> Int32? {
            try await sandbox.tool("python3", "-c", "import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))", path)
                .status
        }

        @Test func theFirstSuiteIsJudgedWithinItsBudgets() async throws {
            let sandbox = try Sandbox("init")
            #expect(try await sandbox.fetchbench("init", "repository", "--ci", "none").status == 0)
            let flags = "--trials 1 --rate unlimited"
            let ended = try await sandbox.shell("cd repository && fetchbench check --suite fetchbench.yml \(flags)")
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }

        @Test func modesOfAProgramAreItsSuite() async throws {
            let sandbox = try Sandbox("init")
            let program = BuiltBinary.neighbour("trial-raw")
            let ended = try await sandbox.fetchbench("init", "--program", program, "--ci", "github")
            #expect(ended.status == 0, "\(ended.complaint)")
            let suite = try String(contentsOfFile: sandbox.work + "/fetchbench.yml", encoding: .utf8)
            #expect(suite.contains("raw") && suite.contains("'*/raw/*: "), "\(suite)")
            #expect(suite.contains("programs:\n  - '\(program)'\n"), "\(suite)")
            #expect(ended.output.hasSuffix("\nfetchbench check --suite fetchbench.yml\n"))
        }

        @Test func nothingIsOverwritten() async throws {
            let sandbox = try Sandbox("init")
            try sandbox.write("mine", to: "fetchbench.yml")
            let ended = try await sandbox.fetchbench("init")
            #expect(ended.status == 64 && ended.complaint.contains("fetchbench.yml exists already"))
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/.github"))
            #expect(FileManager.default.contents(atPath: sandbox.work + "/fetchbench.yml") == Data("mine".utf8))
        }

        @Test(arguments: [
            (["--ci", "githb"], "github"), (["--exec", "no name"], "NAME="), (["--tarball", "file:///a"], "--tarball"),
            (["--tarball", "https://127.0.0.1/a\nrun: b"], "--tarball"),
            (["--program", "/nonexistent/trials"], "it does not exist"),
        ])
        func whatCannotBeMeantIsRefused(arguments: [String], words: String) async throws {
            let sandbox = try Sandbox("init")
            let ended = try await sandbox.fetchbench(["init"] + arguments)
            #expect(ended.status != 0 && ended.complaint.contains(words), "\(ended.complaint)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work).isEmpty)
        }

        /// The template in the repository is what `init` writes for the example, so that one text is kept.
        @Test func theTemplateForGitLabIsWhatInitWrites() async throws {
            let sandbox = try Sandbox("init")
            #expect(try await sandbox.fetchbench("init", "--ci", "gitlab").status == 0)
            let template = FileManager.default.contents(atPath: BuiltBinary.package + "/ci/fetchbench.gitlab-ci.yml")
            let written = FileManager.default.contents(atPath: sandbox.work + "/ci/fetchbench.gitlab-ci.yml")
            #expect(written != nil && template == written)
        }
    }
}
