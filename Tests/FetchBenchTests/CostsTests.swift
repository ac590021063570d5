// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The JSON of `fetchbench costs`, as somebody else reads it.
private struct Costs: Decodable {
    struct Program: Decodable {
        struct Figure: Decodable {
            var unit: String
            var median: Double
            var min: Double
            var max: Double
        }

        var name: String
        var linkage: String
        var mode: String?
        var trials: Int
        var failure: String?
        var binaryBytes: Int?
        var figures: [String: Figure]
        var libraries: [String]?

        func median(_ name: String) throws -> Double { try #require(figures[name]).median }
    }

    var trials: Int
    var programs: [Program]

    init(_ text: String) throws { try self.init(json: text) }
}

private let ours = [
    "trial-urlsession", "trial-opencombine", "trial-async-http-client", "trial-nio", "trial-curl", "trial-raw",
]

private let pairs = ["pair-urlsession-async-http-client", "pair-urlsession-curl"]

extension EndToEnd {
    @Suite struct CostFigures {
        @Test func everyProgramHasItsFigures() async throws {
            let sandbox = try Sandbox("costs")
            let ended = try await sandbox.fetchbench("costs", "--trials", "2", "--format", "json", "--quiet")
            #expect(ended.status == 0 && ended.complaint.isEmpty, "\(ended.complaint)")
            let costs = try Costs(ended.output)
            #expect(costs.trials == 2 && costs.programs.map(\.name) == ours + pairs)
            #expect(costs.programs.first?.mode == "data", "a session's task, and not an initialiser that blocks")
            for program in costs.programs {
                #expect(program.linkage == "dynamic" && program.trials == 2 && program.failure == nil)
                #expect(program.mode != nil && program.mode != "none")
                try expectPlausible(program)
                let size = try FileManager.default.attributesOfItem(atPath: BuiltBinary.neighbour(program.name))[.size]
                #expect(program.binaryBytes == (size as? NSNumber)?.intValue)
            }
            #expect(costs.programs.suffix(2).map(\.mode) == ["data-and-ahc-stream", "data-and-curl-stream"])
            let pair = try costs.programs[ours.count].median("fetched_anonymous_bytes")
            #expect(try pair > costs.programs[0].median("fetched_anonymous_bytes"), "a second client holds more")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(sandbox.runFolders().isEmpty, "nothing is stored")
        }

        /// Parts add up, a fetch takes nothing away, and the libraries are those that the loader names.
        private func expectPlausible(_ program: Costs.Program) throws {
            for reading in ["start", "fetched"] {
                let parts = try ["anonymous_bytes", "private_file_bytes", "shared_file_bytes"].map {
                    try #require(program.figures["\(reading)_\($0)"])
                }
                let whole = try #require(program.figures["\(reading)_resident_bytes"])
                #expect(whole.min >= parts.map(\.min).reduce(0, +) && whole.max <= parts.map(\.max).reduce(0, +))
                #expect(try program.median("\(reading)_threads") >= 1)
                #expect(try program.median("\(reading)_descriptors") >= 3)
            }
            #expect(try program.median("fetched_resident_bytes") > program.median("start_resident_bytes"))
            #expect(try program.median("fetched_libraries") >= program.median("start_libraries"))
            let start = try program.median("start_duration_ns")
            #expect(start > 100_000 && start < 60e9, "\(program.name): \(start) ns")
            let libraries = try #require(program.libraries)
            #expect(libraries.contains { $0.hasPrefix("libswiftCore") } && !libraries.contains { $0.contains("/") })
            #expect(
                libraries.contains { $0.hasPrefix("libcurl") } == ![
                    "trial-raw", "trial-nio", "trial-async-http-client",
                ].contains(program.name))
        }
    }
}

extension Conduct {
    @Suite struct CostConduct {
        /// A harness whose only program is `trial-raw`.
        ///
        /// Copied by a process of its own, as is written what is run below: a child that another test starts just then
        /// would keep a descriptor of this process open, and nothing can be run that somebody may write to.
        private func harness(_ sandbox: Sandbox) async throws -> String {
            let folder = sandbox.path + "/bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let copied = try await sandbox.tool("cp", BuiltBinary.path, BuiltBinary.neighbour("trial-raw"), folder)
            try #require(copied.status == 0, "\(copied.complaint)")
            return folder + "/fetchbench"
        }

        /// A program that describes itself like `trial-raw`, and answers with these words of a shell.
        private func program(_ text: String, in sandbox: Sandbox) async throws -> String {
            try sandbox.write(
                """
                #!/bin/sh
                case "$1" in --describe) exec '\(sandbox.path)/bin/trial-raw' --describe;; esac
                \(text)

                """, to: "text")
            let path = sandbox.work + "/program"
            let written = try await sandbox.tool("install", "-m", "755", sandbox.work + "/text", path)
            try #require(written.status == 0, "\(written.complaint)")
            return path
        }

        @Test(arguments: [
            ("echo '{}'", "cost report"), ("sleep 100 & wait", "no answer within 2 s: killed"),
        ])
        func aProgramThatFailsIsNamedAndTheOthersAreShown(text: String, words: String) async throws {
            let sandbox = try Sandbox("hostile")
            let path = try await harness(sandbox)
            let program = try await program(text, in: sandbox)
            let arguments = ["costs", "--trials", "2", "--timeout", "2", "--format", "json", "--program", program]
            let ended = try await sandbox.start(path, arguments).end(within: 60)
            #expect(ended.status == 2, "\(ended.complaint)")
            #expect(
                ended.complaint.contains("program (dynamic): ") && ended.complaint.contains(words),
                "\(ended.complaint)")
            #expect(!ended.complaint.contains(sandbox.temporary), "no folder of the trials")
            let costs = try Costs(ended.output)
            #expect(costs.programs.map(\.name) == ["program", "trial-raw"])
            #expect(costs.programs.map(\.trials) == [0, 2] && costs.programs[0].failure != nil)
            #expect(try await ProcessTable.remaining(in: sandbox, after: 10) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func programsThatAreNotThereAreToldHowToGet() async throws {
            let sandbox = try Sandbox("absent")
            let path = try await harness(sandbox)
            let named = try await sandbox.start(path, ["costs", "--program", "nowhere"]).end(within: 30)
            #expect(named.status == 2 && named.complaint.contains("nowhere cannot be used: it does not exist"))
            let folder = try await sandbox.start(path, ["costs", "--static", sandbox.work]).end(within: 30)
            #expect(folder.status == 2 && folder.complaint.contains("make costs") && folder.output.isEmpty)
            try FileManager.default.removeItem(atPath: sandbox.path + "/bin/trial-raw")
            let none = try await sandbox.start(path, ["costs"]).end(within: 30)
            #expect(none.status == 2 && none.complaint.contains("make build") && none.output.isEmpty)
        }

        /// A folder of static builds has rows of its own; what is none is doubted, whatever is said of it.
        @Test func staticBuildsStandBesideTheOthers() async throws {
            let sandbox = try Sandbox("static")
            let path = try await harness(sandbox)
            let folder = sandbox.path + "/static"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(try await sandbox.tool("cp", sandbox.path + "/bin/trial-raw", folder).status == 0)
            let ended = try await sandbox.start(
                path, ["costs", "--trials", "1", "--static", folder, "--format", "json"]
            ).end(within: 60)
            #expect(ended.status == 0, "\(ended.complaint)")
            let costs = try Costs(ended.output)
            #expect(costs.programs.map(\.name) == ["trial-raw", "trial-raw"])
            #expect(costs.programs.map(\.linkage) == ["dynamic", "dynamic"], "a copy of a dynamic build is none")
            #expect(ended.complaint.contains("loads Swift's libraries") && ended.complaint.contains("trial-nio"))
        }
    }
}
