// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    @Suite struct Documents {
        private struct Command: Decodable {
            var place: String
            var words: [String]
        }

        /// Values for placeholders in documents, by the preceding flag, if the flag does not accept any word.
        private static let placeholders = [
            "--suite": "default", "--url": "http://127.0.0.1/", "--mode": "raw", "--render": "none", "--asset": "1MiB",
            "--allocator": "glibc", "--trials": "3", "--seed": "3", "--rate": "1MiB", "--timeout": "3",
            "--format": "json", "--pairs": "12", "--port": "0", "--report": "suspend-resume-data",
        ]

        private func commands(of repository: String, _ sandbox: Sandbox) async throws -> [Command] {
            let script = BuiltBinary.package + "/scripts/check-links"
            let ended = try await sandbox.start(script, ["--commands", repository]).end(within: 20)
            guard ended.status == 0 else { throw Obstacle("check-links: \(ended.complaint)") }
            return try ended.output.split(separator: "\n").map {
                try JSONDecoder().decode(Command.self, from: Data($0.utf8))
            }
        }

        /// Returns the binary's errors for command lines that it refuses.
        private func complaints(about commands: [Command], _ sandbox: Sandbox) async throws -> [String] {
            var complaints: [String] = []
            for command in commands {
                var words = command.words
                for index in words.indices.dropFirst() where words[index].allSatisfy({ $0.isUppercase || $0 == "_" }) {
                    words[index] = Self.placeholders[words[index - 1]] ?? words[index]
                }
                let ended = try await sandbox.fetchbench(["parse", "--"] + words)
                // A command that is only mentioned may lack required arguments.
                let isName =
                    words.count == 1
                    && ["Missing expected argument", "no command is given"].contains { ended.complaint.contains($0) }
                guard ended.status != 0, !isName else { continue }
                complaints.append("\(command.place): \(command.words.joined(separator: " ")): \(ended.complaint)")
            }
            return complaints
        }

        /// Makes a repository of these files in the working folder.
        private func track(_ files: [String: String], in sandbox: Sandbox) async throws {
            for (name, text) in files {
                let folder = URL(fileURLWithPath: sandbox.work + "/" + name).deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try sandbox.write(text, to: name)
            }
            #expect(try await sandbox.tool("git", "init", "-q", ".").status == 0)
            #expect(try await sandbox.tool("git", "add", "--", ".").status == 0)
        }

        @Test func everyCommandInADocumentParses() async throws {
            let sandbox = try Sandbox("documents")
            let commands = try await commands(of: BuiltBinary.package, sandbox)
            #expect(commands.count >= 15 && Set(commands.map { $0.place.prefix { $0 != ":" } }).count >= 3)
            // Paths of suites are those of a clone.
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.work + "/Benchmarks", withDestinationPath: BuiltBinary.package + "/Benchmarks")
            // `init` refuses to overwrite a suite, and the journeys write these before they use them.
            let isInit = { (command: Command) in command.words.first == "init" }
            var complaints = try await self.complaints(about: commands.filter(isInit), sandbox)
            for path in ["fetchbench.yml", ".build/memory.yml"] {
                let folder = URL(fileURLWithPath: sandbox.work + "/" + path).deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try sandbox.write("name: memory\nexec: [sort=sort x]\n", to: path)
            }
            complaints += try await self.complaints(about: commands.filter { !isInit($0) }, sandbox)
            #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        }

        @Test func aCommandThatIsNoneIsFound() async throws {
            let sandbox = try Sandbox("wrong")
            let text = """
                `fetchbench run --mdoe raw`, `fetchbench run --mode RAW --trials N …`, `fetchbench report RUN
                --format markdwn` and `fetchbench --url URL --mode MODE --asset` are mistakes or excerpts.

                ```yaml
                - run: >
                    x/.build/release/fetchbench compare --base OLD
                    --heda NEW --asset 1MiB
                ```

                ```
                LC_ALL=C fetchbench report | head && fetchbench chekc   # fetchbench nothing
                $ fetchbench run --suite \\
                    deafult > file
                fetchbench run --suite SUITE --mode MODE --url URL --trials N
                fetchbench run --suite SUITE --mode MODE --trials TRIALS --output FOLDER
                ```
                """
            try await track(["README.md": text], in: sandbox)
            let found = try await commands(of: sandbox.work, sandbox)
            #expect(found.map(\.words.count) == [3, 4, 5, 7, 1, 1, 3, 9, 9])
            let complaints = try await complaints(about: found, sandbox)
            let words = ["--mdoe", "markdwn", "--asset", "--heda", "chekc", "deafult"]
            #expect(complaints.count == words.count, "\(complaints.joined(separator: "\n"))")
            for (complaint, word) in zip(complaints, words) { #expect(complaint.contains(word), "\(complaint)") }
        }
    }

    @Suite struct ReadmePictures {
        @Test func picturesAreOfTheRunsThatTheDocumentsShow() async throws {
            let sandbox = try Sandbox("pictures")
            let script = BuiltBinary.package + "/scripts/draw-pictures"
            let ended = try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }

        @Test func outputIsWhatTheStoredRunsPrint() async throws {
            let sandbox = try Sandbox("output")
            let script = BuiltBinary.package + "/scripts/shown-output"
            let ended = try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }

        @Test func anotherPictureWouldBeSeen() async throws {
            let sandbox = try Sandbox("other-pictures")
            let (package, picture) = (BuiltBinary.package, "copy/docs/pictures/answer.svg")
            let copied = try await sandbox.shell(
                "mkdir -p copy/docs && cp -R '\(package)/scripts' copy && cp -R '\(package)/docs/pictures' copy/docs && "
                    + "ln -s '\(package)/results' '\(package)/Sources' copy && sed -i s/rect/rekt/ \(picture)")
            #expect(copied.status == 0, "\(copied.complaint)")
            let script = sandbox.work + "/copy/scripts/draw-pictures"
            let ended = try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60)
            #expect(
                ended.status == 1 && (ended.output + ended.complaint).contains("answer.svg"),
                "\(ended.output)\(ended.complaint)")
        }
    }
}
