// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// What goes between harness and trial programs, held to what is written of it.
    @Suite struct TrialProtocol {
        private static let schema = BuiltBinary.package + "/docs/trial-protocol.schema.json"
        private static let text = BuiltBinary.package + "/docs/trial-protocol.md"

        /// What is wrong with documents of a kind.
        private func complaints(_ kind: String, _ files: [String], _ sandbox: Sandbox) async throws -> String {
            let script = BuiltBinary.package + "/Tests/FetchBenchTests/Protocol/documents.py"
            let ended = try await sandbox.start(
                BuiltBinary.systemPython(), [script, Self.schema, kind] + files
            ).end(within: 60)
            try #require(!ended.complaint.contains("No module named"), "python3-jsonschema is not installed")
            #expect(ended.status == 0, "\(ended.complaint)")
            return ended.output
        }

        /// A program in front of another one that keeps what goes in and comes out, each in a file of its own.
        private func recording(_ program: String, in sandbox: Sandbox) throws -> String {
            let folder = sandbox.path + "/documents"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = """
                case "$1" in
                --describe) exec '\(program)' --describe ;;
                --costs) kind=cost ;;
                *) kind=trial ;;
                esac
                document='\(folder)'/$$
                cat >"$document.${kind}Request"
                '\(program)' "$@" <"$document.${kind}Request" >"$document.${kind}Report"
                status=$?
                cat "$document.${kind}Report"
                exit $status
                """
            return try sandbox.program(script, named: "recording")
        }

        private func documents(_ kind: String, in sandbox: Sandbox) throws -> [String] {
            let folder = sandbox.path + "/documents"
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".\(kind)") }.map {
                "\(folder)/\($0)"
            }
        }

        @Test(arguments: [
            "trial-urlsession", "trial-opencombine", "trial-async-http-client", "trial-nio", "trial-curl", "trial-raw",
        ])
        func aDescriptionFollowsItsSchema(name: String) async throws {
            let sandbox = try Sandbox("described")
            let ended = try await sandbox.start(BuiltBinary.neighbour(name), ["--describe"]).end(within: 20)
            let file = try sandbox.write(ended.output, to: "description.json")
            #expect(try await complaints("description", [file], sandbox) == "")
        }

        /// Each document of the page is complete, and as described.
        @Test(arguments: ["description", "trialRequest", "trialReport"])
        func theExamplesOfThePageFollowTheirSchema(kind: String) async throws {
            let text = try String(contentsOfFile: Self.text, encoding: .utf8)
            let parts = text.components(separatedBy: "<!-- example: \(kind) -->\n```json\n")
            try #require(parts.count == 2)
            let example = try #require(parts[1].components(separatedBy: "```").first)
            let sandbox = try Sandbox("example")
            let file = try sandbox.write(example, to: "example.json")
            #expect(try await complaints(kind, [file], sandbox) == "")
        }

        /// Plain fetches, every condition, a scenario with members, a failure: what is sent and what is answered.
        @Test(arguments: [
            (
                "trial-raw",
                [
                    ["--mode", "raw,raw-drop", "--asset", "64KiB"],
                    ["--mode", "raw", "--asset", "64KiB", "--start", "cold", "--transfer", "chunked"],
                    ["--mode", "raw", "--asset", "64KiB", "--scenario", "repeat:10", "--consumer-delay", "1us"],
                    ["--mode", "raw", "--asset", "64KiB", "--verify", "length"],
                    ["--mode", "raw", "--asset", "gallery-01", "--render", "imageview", "--display", "at-once"],
                    ["--mode", "raw", "--url", "http://127.0.0.1:1/nothing", "--no-reference"],
                    [
                        "--mode", "raw", "--url", "http://127.0.0.1:1/nothing", "--no-reference", "--header",
                        "X-Key: value", "--body",
                        BuiltBinary.package + "/LICENSE",
                    ],
                ]
            ),
            (
                "trial-urlsession",
                [
                    [
                        "--mode", "data", "--asset", "64KiB", "--scheme", "https", "--concurrency", "2",
                        "--max-connections", "3",
                    ]
                ]
            ),
        ])
        func whatIsSentAndAnsweredFollowsItsSchema(name: String, plans: [[String]]) async throws {
            let sandbox = try Sandbox("protocol")
            let program = try recording(BuiltBinary.neighbour(name), in: sandbox)
            for plan in plans {
                let ended = try await sandbox.fetchbench(
                    ["run", "--program", program, "--render", "none", "--trials", "1", "--quiet"] + plan)
                #expect([0, 2].contains(ended.status), "\(ended.complaint)")
            }
            let costs = try await sandbox.fetchbench(["costs", "--trials", "1", "--program", program, "--quiet"])
            #expect(costs.status == 0, "\(costs.complaint)")
            for kind in ["trialRequest", "trialReport", "costRequest", "costReport"] {
                let files = try documents(kind, in: sandbox)
                #expect(files.count >= (kind.hasPrefix("trial") ? plans.count * 2 : 2))
                #expect(try await complaints(kind, files, sandbox) == "")
            }
        }

        /// A schema that lets everything through would have said nothing as well.
        @Test func whatIsNotAsDescribedIsFound() async throws {
            let sandbox = try Sandbox("broken")
            let program = try recording(BuiltBinary.neighbour("trial-raw"), in: sandbox)
            let ended = try await sandbox.fetchbench(
                "run", "--program", program, "--mode", "raw", "--asset", "4KiB", "--render", "none", "--trials", "1",
                "--start", "cold")
            // A child does the trial, which is found out; what it was asked is what matters here.
            #expect([0, 2].contains(ended.status), "\(ended.complaint)")
            let requests = try documents("trialRequest", in: sandbox)
            let request = try #require(requests.map { try String(contentsOfFile: $0, encoding: .utf8) }.first)
            for (old, new, words) in [
                ("\"version\":3", "\"version\":2", "conditions.start came with version 3, not with 2"),
                ("\"version\":3", "\"version\":99", "99 is greater than"), ("\"mode\":", "\"moed\":", "'moed'"),
                ("\"seed\":", "\"seed\":-", "is less than the minimum"),
            ] {
                try #require(request.contains(old), "\(request)")
                let broken = try sandbox.write(request.replacing(old, with: new), to: "broken.json")
                #expect(try await complaints("trialRequest", [broken], sandbox).contains(words), "\(words)")
            }
        }

        /// Every property that came later stands in the table of versions, and the newest version is that of our programs.
        @Test func theTextKnowsEveryVersion() async throws {
            let sandbox = try Sandbox("versions")
            let lines = try await complaints("names", [], sandbox).split(separator: "\n").map(String.init)
            let described = try await sandbox.start(BuiltBinary.neighbour("trial-raw"), ["--describe"]).end(within: 20)
            #expect(described.output.contains("\"protocols\":[1,\(lines[0])]"))
            let text = try String(contentsOfFile: Self.text, encoding: .utf8)
            #expect(text.contains("The newest version is \(lines[0])."))
            #expect(lines.count > 5)
            for name in lines.dropFirst() {
                #expect(text.contains("`\(name)`") || text.contains("`conditions.\(name)`"), "\(name) is in no version")
            }
        }
    }
}
