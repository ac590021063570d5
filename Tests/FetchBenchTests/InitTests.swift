// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// `fetchbench init`: what it writes can be used as it is.
    @Suite struct Starting {
        /// Subjects as a user gives them, and the CI services of workflows.
        static let subjects: [[String]] = [
            [], ["--ci", "gitlab"],
            ["--exec", "head=sh -c 'head -c 5 \"$1\" > \"$2\"' - {url} {file}", "--ci", "none"],
            ["--server", "get=GET /it's : python3 -m http.server {port}", "--exec", "plain=true", "--ci", "none"],
            ["--exec", "tool=true {url}", "--exec", "other=true", "--tarball", "https://127.0.0.1/it's.tar.xz"],
        ]

        @Test(arguments: subjects)
        func writtenFilesParse(arguments: [String]) async throws {
            let sandbox = try Sandbox("init")
            let ended = try await sandbox.fetchbench(["init"] + arguments, status: 0)
            let written = ended.output.split(separator: "\n").filter { $0.hasPrefix("wrote ") }.map { $0.dropFirst(6) }
            #expect(written.count == (arguments.contains("none") ? 1 : 2))
            // The command that it prints takes the suite that it wrote.
            let next = try #require(ended.output.split(separator: "\n").last.map(String.init))
            #expect(try await sandbox.words(of: next) == ["check", "--suite", "fetchbench.yml"])
            // The template in the repository is what is written for the example, so that one text is kept.
            if arguments == ["--ci", "gitlab"] {
                let paths = [BuiltBinary.package, sandbox.work].map { $0 + "/ci/fetchbench.gitlab-ci.yml" }
                let texts = paths.map { FileManager.default.contents(atPath: $0) }
                #expect(texts[0] != nil && texts[0] == texts[1])
            }
            for path in written { #expect(try await yaml(String(path), in: sandbox) == 0, "\(path)") }
        }

        private func yaml(_ path: String, in sandbox: Sandbox) async throws -> Int32? {
            try await sandbox.tool("python3", "-c", "import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))", path)
                .status
        }

        @Test func anExistingFileIsNotOverwritten() async throws {
            let sandbox = try Sandbox("init")
            try sandbox.write("mine", to: "fetchbench.yml")
            let ended = try await sandbox.fetchbench("init")
            #expect(ended.status == 64 && ended.complaint.contains("fetchbench.yml exists already"))
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/.github"))
            #expect(FileManager.default.contents(atPath: sandbox.work + "/fetchbench.yml") == Data("mine".utf8))
        }

        /// Runs the steps of a workflow one after the other, as a runner does, without what only a runner has.
        private static let runner = """
            import os, subprocess, sys, yaml
            document = yaml.safe_load(open(sys.argv[1]))
            if "jobs" in document:
                steps = next(iter(document["jobs"].values()))["steps"]
            else:
                steps = [{"run": "\\n".join(document["memory"]["script"]), "env": document["memory"].get("variables", {})}]
            open(os.environ["GITHUB_PATH"], "w").close()
            for step in steps:
                if "run" not in step:
                    continue
                more = [line.strip() for line in open(os.environ["GITHUB_PATH"])]
                environment = os.environ | step.get("env", {}) | {"PATH": ":".join(more + [os.environ["PATH"]])}
                status = subprocess.run(["bash", "-e", "-c", step["run"]], env=environment).returncode
                if status:
                    sys.exit(status)
            """

        /// A repository of fetchbench whose build is done already; packages are installed by nothing.
        @Test(arguments: [("github", 200, Int32(0)), ("gitlab", 1, 1)])
        func theWorkflowRunsAsWritten(service: String, limit: Int, status: Int32) async throws {
            let sandbox = try Sandbox("workflow")
            let built = BuiltBinary.path.split(separator: "/").dropLast().joined(separator: "/")
            try sandbox.write(
                """
                set -e
                mkdir -p tools temp fetchbench repository
                printf '#!/bin/sh\\n' > tools/apt-get; chmod +x tools/apt-get
                cd fetchbench
                printf 'main-programs:\\n\\tmkdir -p .build; ln -sfn /\(built) .build/release\\n' > Makefile
                git init -q . && git add Makefile
                git -c user.name=a -c user.email=a@b.c commit -qm first && git tag v7
                """, to: "prepare.sh")
            try sandbox.write(Self.runner, to: "runner.py")
            #expect(try await sandbox.shell("bash prepare.sh").status == 0)
            let made = try await sandbox.shell(
                "cd repository && fetchbench init --ci \(service) --exec 'hold=head -c 32M /dev/zero | tail -n 1' "
                    + "--repository file://\(sandbox.work)/fetchbench --tag v7")
            #expect(made.status == 0, "\(made.complaint)")
            let path = service == "github" ? ".github/workflows/memory.yml" : "ci/fetchbench.gitlab-ci.yml"
            let ended = try await sandbox.shell(
                "cd repository && sed -i 's/<= 200 MiB/<= \(limit) MiB/' fetchbench.yml && "
                    + "PATH=\(sandbox.work)/tools:/usr/local/bin:/usr/bin:/bin RUNNER_TEMP=\(sandbox.work)/temp "
                    + "CI_PROJECT_DIR=\(sandbox.work)/repository GITHUB_PATH=\(sandbox.work)/path "
                    + "python3 ../runner.py \(path)")
            #expect(ended.status == status, "\(ended.output)\(ended.complaint)")
            #expect(ended.output.contains(status == 0 ? "within budget" : "over budget"), "\(ended.output)")
        }
    }
}
