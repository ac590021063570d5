// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// A trial program in another language, which knows nothing of this project but what is written of the protocol.
    @Suite struct ForeignPrograms {
        private static let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"

        /// The example, with a part of it replaced.
        private func program(replacing old: String, with new: String, in sandbox: Sandbox, as name: String) throws
            -> String
        {
            let text = try String(contentsOfFile: Self.example, encoding: .utf8)
            try #require(text.contains(old))
            let path = try sandbox.write(text.replacing(old, with: new), to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return path
        }

        @Test func itIsListedAndMeasured() async throws {
            let sandbox = try Sandbox("python")
            let list = try await sandbox.fetchbench("list", "modes", "--program", Self.example)
            #expect(list.status == 0 && list.output.contains("python-read"), "\(list.complaint)")
            #expect(list.output.contains("(trial_program.py)"))
            let ended = try await sandbox.fetchbench(
                "run", "--program", Self.example, "--asset", "8MiB", "--render", "none", "--trials", "2", "--rate",
                "unlimited")
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "data").isEmpty, "who names a program wants its modes")
            // Pythons with the fix of CVE-2025-13836 double a buffer while they read: 8 MiB and the last piece of 4 MiB.
            // A trial program has no PATH, so its `env` may find another Python than this process would.
            let source = "import http.client as h; print(hasattr(h, '_MIN_READ_BUF_SIZE'))"
            let reads =
                try await sandbox.tool("env", "-i", "python3", "-c", source).output.hasPrefix("True")
                ? 1.4...1.6 : 0.95...1.2
            for (mode, copies) in [("none", -1...0.0), ("python-read", reads), ("python-stream", -0.01...0.05)] {
                let rows = try run.rows(ofMode: mode)
                #expect(rows.map { $0["outcome"] } == ["completed", "completed"], "\(mode)")
                for row in rows where mode != "none" {
                    let held = try row.number("copies_held_ratio")
                    #expect(copies.contains(held), "\(mode) holds \(held)")
                    #expect(row["body_bytes"] == "8388608")
                }
            }
        }

        /// Its body is compared with the asset, whatever it thinks of it.
        @Test func aWrongBodyIsFound() async throws {
            let sandbox = try Sandbox("wrong")
            for (number, new) in ["answer.read()[:-1]", "answer.read()[:-1] + b'x'"].enumerated() {
                let program = try program(
                    replacing: "body = answer.read()", with: "body = " + new, in: sandbox, as: "wrong-\(number).py")
                let ended = try await sandbox.fetchbench(
                    "run", "--program", program, "--mode", "python-read", "--asset", "64KiB", "--render", "none",
                    "--trials", "1", "--output", "results-\(number)")
                #expect(ended.status == 2, "\(ended.complaint)")
                let rows = try sandbox.onlyRun(in: "results-\(number)").rows(ofMode: "python-read")
                #expect(rows.map { $0["outcome"] } == ["wrong_body"])
            }
        }

        /// Unsupported properties are not requested, and the error names both versions.
        @Test func aNewerVersionIsNotAskedFor() async throws {
            let sandbox = try Sandbox("newer")
            let ended = try await sandbox.fetchbench(
                "run", "--program", Self.example, "--mode", "python-read", "--asset", "4KiB", "--render", "none",
                "--start", "cold")
            #expect(ended.status == 2 && sandbox.runFolders().isEmpty)
            #expect(ended.complaint.contains("speaks version 1 of the protocol"), "\(ended.complaint)")
            #expect(ended.complaint.contains("needs 3"))
        }

        /// Two builds of somebody's own program: one that holds a copy more is red.
        @Test func twoOfItAreCompared() async throws {
            let sandbox = try Sandbox("compared")
            // A second copy that lives as long as the first one.
            let head = try program(
                replacing: "return body, len(body), None",
                with: "request['kept'] = bytearray(body)\n    return body, len(body), None", in: sandbox, as: "head.py")
            let plan = ["--mode", "python-read", "--asset", "1MiB", "--render", "none", "--rate", "unlimited"]
            let red = try await sandbox.fetchbench(
                ["compare", "--base-program", Self.example, "--head-program", head, "--no-explain"] + plan,
                within: 200)
            #expect(red.status == 1, "\(red.output)\(red.complaint)")
            #expect(red.output.contains("python-read"))
            #expect(red.output.contains("--base-program BASE --head-program HEAD"), "\(red.output)")
        }

        @Test(arguments: [
            (["--base-program", example], 64, "one side is missing"),
            (["--base-program", example, "--head-program", example, "--base", "x"], 64, "expected two runs"),
            (
                ["--base-program", example, "--head-program", "trial-raw"], 2,
                "it has no mode python-read, which the base has"
            ),
        ])
        func sidesThatCannotBeComparedAreRefused(words: [String], status: Int32, complaint: String) async throws {
            let sandbox = try Sandbox("sides")
            let words = words.map { $0 == "trial-raw" ? BuiltBinary.neighbour($0) : $0 }
            let ended = try await sandbox.fetchbench(["compare", "--asset", "4KiB", "--render", "none"] + words)
            #expect(ended.status == status && ended.complaint.contains(complaint), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }

        /// A suite names programs, too.
        @Test func aSuiteNamesIt() async throws {
            let sandbox = try Sandbox("suite")
            try sandbox.write(
                """
                programs: [\(Self.example)]
                modes: [python-stream]
                renders: [none]
                assets: [256KiB]
                trials: 3
                budgets: ["*/python-stream/*: growth <= 8 MiB"]
                """, to: "own.yml")
            let ended = try await sandbox.fetchbench("check", "--suite", "own.yml", "--no-baseline")
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
            #expect(ended.output.contains("python-stream"))
        }
    }
}
