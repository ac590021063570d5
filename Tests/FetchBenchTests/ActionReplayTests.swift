// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// What the action tells of runs that were really judged: the folders in `Action`, which `make-runs` has made.
    @Suite struct ActionReplays {
        private static let runs = BuiltBinary.package + "/Tests/FetchBenchTests/Action"
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox("replay")
            try sandbox.write("name: any\n", to: "suite.yml")
        }

        /// A `fetchbench` that leaves behind what the real one has left, and ends as it has ended.
        private func replay(_ name: String) async throws -> [String: String] {
            let folder = sandbox.work + "/\(name)-bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = """
                #!/bin/bash
                while [ "$1" != --output ]; do shift; done
                cp -R '\(Self.runs)/\(name)'/*/ "$2/" && exit "$(cat '\(Self.runs)/\(name)/status')"
                """
            try sandbox.write(script, to: "\(name)-bin/fetchbench")
            #expect(try await sandbox.tool("chmod", "+x", folder + "/fetchbench").status == 0)
            try sandbox.write("", to: "output")
            let environment = [
                "PATH": "\(folder):/usr/bin:/bin", "RUNNER_TEMP": sandbox.work + "/runner", "SUITE": "suite.yml",
                "GITHUB_OUTPUT": sandbox.work + "/output",
            ]
            let path = BuiltBinary.package + "/scripts/action/judge.sh"
            let ended = try await sandbox.start(path, [], environment: environment).end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            let lines = try sandbox.text(of: "output").split(separator: "\n")
            let pairs = lines.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
        }

        @Test(arguments: [
            ("regressed", "1", "red"), ("improved", "0", "within"), ("scenario", "1", "red"),
            ("over-budget", "1", "red"), ("none", "2", "none"),
        ])
        func theJudgedFolderIsTheOneThatIsTold(name: String, status: String, verdict: String) async throws {
            let outputs = try await replay(name)
            #expect(outputs["status"] == status && outputs["verdict"] == verdict, "\(outputs)")
            let folder = try #require(outputs["folder"])
            #expect(FileManager.default.fileExists(atPath: folder + "/judgement.json"), "\(outputs)")
            #expect(FileManager.default.fileExists(atPath: folder + "/judgement.md"), "what the comment says")
            #expect(outputs["report"] == folder + "/report.html")
            // Otherwise this would be no test of runs that were confirmed.
            let confirmed = ["regressed", "improved", "scenario"].contains(name)
            let made = try FileManager.default.contentsOfDirectory(atPath: Self.runs + "/" + name)
            #expect(made.contains { $0.hasSuffix("-confirmation") } == confirmed, "\(made)")
        }

        /// The worst change in its own unit: a share of a process, bytes of a scenario's figure, a budget's words; of no
        /// change that is bad the improvement, and not the noise beside it.
        @Test(arguments: [
            ("regressed", #"64KiB/hold/none/glibc \w+: \+7\d(\.\d)? %"#),
            ("improved", #"64KiB/hold/none/glibc \w+: -4\d(\.\d)? %"#),
            ("scenario", #"4KiB/raw/none/glibc/scenario=repeat allocated_slope_bytes: \+6\d B"#),
            ("over-budget", #"64KiB/hold/none/glibc: .*14\.\d MiB.*"#),
        ])
        func theEffectIsInTheWordsOfAReader(name: String, words: String) async throws {
            let effect = try #require(try await replay(name)["effect"])
            #expect(try Regex(words).wholeMatch(in: effect) != nil, "\(effect)")
        }

        /// The folders of the runs before are there still, and newer ones have any name.
        @Test func eachRunIsToldByItself() async throws {
            var told: [String?] = []
            for name in ["improved", "regressed", "none", "scenario"] { told.append(try await replay(name)["verdict"]) }
            #expect(told == ["within", "red", "none", "red"])
            // The same folders once more are no new ones: nothing was made.
            #expect(try await replay("regressed")["folder"]?.isEmpty == true)
        }
    }
}
