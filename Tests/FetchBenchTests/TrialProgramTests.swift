// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// Trial programs that are not there, or are something else: it is said before anything runs.
    @Suite struct TrialPrograms {
        private static let plan = [
            "run", "--asset", "4KiB", "--render", "none", "--trials", "1", "--rate", "unlimited",
        ]

        /// The libraries that a program loads, including indirect ones.
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

        private func harness(_ sandbox: Sandbox, without missing: String...) throws -> String {
            let path = try BuiltBinary.copied(to: sandbox.path + "/bin")
            for name in missing { try FileManager.default.removeItem(atPath: "\(sandbox.path)/bin/\(name)") }
            return path
        }

        @Test func aModeOfAProgramThatIsNotBuiltIsToldHowToGetAndOneThatIsNamedIsMeasured() async throws {
            let sandbox = try Sandbox("missing")
            let path = try harness(sandbox, without: "trial-nio", "trial-urlsession")
            try FileManager.default.moveItem(atPath: sandbox.path + "/bin/trial-raw", toPath: sandbox.work + "/mine")
            for (mode, said) in [("nio-stream", "make build"), ("raw", "raw")] {
                let unknown = try await sandbox.start(path, Self.plan + ["--mode", mode]).end(within: 30)
                #expect(unknown.status == 64 && unknown.complaint.contains("mode \(mode) is not built"))
                #expect(unknown.complaint.contains(said), "\(unknown.complaint)")
            }
            let ended = try await sandbox.start(path, Self.plan + ["--mode", "raw", "--program", "./mine"])
                .end(within: 30)
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "raw").map { $0["outcome"] } == ["completed"])
            #expect(try run.text(of: "report.md").contains("--program"))
            let list = try await sandbox.start(path, ["list", "modes"]).end(within: 30)
            #expect(list.status == 0 && list.output.contains("curl-stream") && !list.output.contains("nio-stream"))
            #expect(list.complaint.contains("trial-nio"))
        }

        @Test func withoutAnyProgramNothingRuns() async throws {
            let sandbox = try Sandbox("none")
            let folder = sandbox.path + "/bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try TestProcess.copy(program: BuiltBinary.path, to: folder + "/fetchbench")
            let ended = try await sandbox.start(folder + "/fetchbench", Self.plan).end(within: 30)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("no trial program") && ended.complaint.contains("make build"))
            #expect(sandbox.runFolders().isEmpty)
        }

        /// Whose mode is measured where two programs have one of the same name is said.
        @Test func aModeNamedLikeOneOfOursIsTheOneThatWasNamed() async throws {
            let sandbox = try Sandbox("doubled")
            let raw = BuiltBinary.neighbour("trial-raw")
            let marker = sandbox.path + "/asked"
            let program = try sandbox.program(
                "case \"$1\" in --describe) ;; *) touch '\(marker)' ;; esac; exec '\(raw)' \"$@\"", named: "mine")
            let ended = try await sandbox.fetchbench(Self.plan + ["--mode", "raw", "--program", program], status: 0)
            #expect(ended.complaint.contains("modes raw, raw-drop: measured with \(program), not with"))
            #expect(FileManager.default.fileExists(atPath: marker))
        }
    }

    /// Documents between harness and trial programs, validated against the schema.
    @Suite struct TrialProtocol {
        private static let schema = BuiltBinary.package + "/docs/trial-protocol.schema.json"
        private static let text = BuiltBinary.package + "/docs/trial-protocol.md"

        private func complaints(_ kind: String, _ files: [String], _ sandbox: Sandbox) async throws -> String {
            let script = BuiltBinary.package + "/Tests/FetchBenchTests/Protocol/documents.py"
            let ended = try await sandbox.start(BuiltBinary.systemPython(), [script, Self.schema, kind] + files).end(
                within: 60)
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
            let sandbox = try Sandbox("example")
            let file = try sandbox.write(example(kind), to: "example.json")
            #expect(try await complaints(kind, [file], sandbox) == "")
        }

        private func example(_ kind: String) throws -> String {
            let text = try String(contentsOfFile: Self.text, encoding: .utf8)
            let parts = text.components(separatedBy: "<!-- example: \(kind) -->\n```json\n")
            try #require(parts.count == 2)
            return try #require(parts[1].components(separatedBy: "```").first)
        }

        /// Plain fetches, every condition, a scenario with members, a failure: what is sent and what is answered.
        @Test(arguments: [
            (
                "trial-raw",
                [
                    ["--mode", "raw,raw-drop", "--asset", "64KiB"],
                    ["--mode", "raw", "--asset", "64KiB", "--start", "cold", "--transfer", "chunked"],
                    ["--mode", "raw", "--asset", "64KiB", "--scenario", "repeat:10", "--consumer-delay", "1us"],
                    ["--mode", "raw", "--asset", "gallery-01", "--render", "imageview", "--display", "at-once"],
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
        func requestsAndReportsFollowTheSchema(name: String, plans: [[String]]) async throws {
            let sandbox = try Sandbox("protocol")
            let program = try recording(BuiltBinary.neighbour(name), in: sandbox)
            for plan in plans {
                let ended = try await sandbox.fetchbench(
                    ["run", "--program", program, "--render", "none", "--trials", "1", "--quiet"] + plan)
                #expect([0, 2].contains(ended.status), "\(ended.complaint)")
            }
            try await sandbox.fetchbench(["costs", "--trials", "1", "--program", program, "--quiet"], status: 0)
            for kind in ["trialRequest", "trialReport", "costRequest", "costReport"] {
                let files = try documents(kind, in: sandbox)
                #expect(files.count >= (kind.hasPrefix("trial") ? plans.count * 2 : 2))
                #expect(try await complaints(kind, files, sandbox) == "")
            }
        }

        /// A schema that lets everything through would have said nothing as well.
        @Test func deviationsFromTheDescriptionAreFound() async throws {
            let sandbox = try Sandbox("broken")
            let request = try example("trialRequest")
            let cold = "\"version\": 3, \"conditions\": {\"start\": \"cold\"}"
            for (old, new, words) in [
                ("\"version\": 1", cold, ""),
                ("\"version\": 1", cold.replacing("3", with: "2"), "conditions.start came with version 3, not with 2"),
                ("\"version\": 1", "\"version\": 99", "99 is greater than"),
                ("\"mode\":", "\"moed\":", "'moed'"), ("\"seed\": ", "\"seed\": -", "is less than the minimum"),
            ] {
                try #require(request.contains(old), "\(request)")
                let broken = try sandbox.write(request.replacing(old, with: new), to: "broken.json")
                let said = try await complaints("trialRequest", [broken], sandbox)
                #expect(words.isEmpty ? said.isEmpty : said.contains(words), "\(words): \(said)")
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
