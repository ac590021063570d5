// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Testing
import TrialKit

/// A program of this project is asked once, until its file changes.
struct DescriptionCacheTests {
    private static let description = """
        {"protocols": [1, 1], "allocator": {"configuration": {}, "name": "glibc", "version": "2.36"},
        "modes": [{"name": "none", "summary": "", "schemes": ["http"], "abilities": [], "yields_body": false,
        "hashes_on_the_way": false}], "render_models": [{"name": "none", "summary": "", "need": "image",
        "environment": {}, "needs_body": false, "takes_pieces": false}]}
        """

    /// Writes a program that counts how often it is asked, after a text that only tells versions apart.
    private func write(_ version: String, to path: String) throws {
        let text = "#!/bin/sh\n# \(version)\necho x >> \(path).asked\ncat <<'END'\n\(Self.description)\nEND\n"
        try? FileManager.default.removeItem(atPath: path)
        try TestProcess.write(program: text, to: path)
    }

    private func timesAsked(_ path: String) -> Int {
        (try? String(contentsOfFile: path + ".asked", encoding: .utf8))?.split(separator: "\n").count ?? 0
    }

    @Test func aProgramIsAskedAgainOnlyWhereItsAnswerCannotBeUsed() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/trial-raw"
            let cache = try AssetCache(named: folder, home: nil, temporaryDirectory: folder, user: geteuid())
            let variables = TrialVariables(environment: [:], fixed: [:], libraryFolder: folder)
            func find(_ modes: [String]? = nil, named: [String] = []) async throws -> [String] {
                try await TrialPrograms.found(
                    named: named, beside: folder + "/fetchbench", for: modes, variables: variables,
                    cache: DescriptionCache(in: cache.path, of: geteuid())
                ).modes.map(\.name)
            }
            func answers() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: cache.path + "/programs").map {
                    cache.path + "/programs/" + $0
                }
            }
            try write("first", to: path)
            for _ in 1...3 { #expect(try await find() == ["none"]) }
            #expect(timesAsked(path) == 1)
            #expect(try await find(["raw"]) == ["none"])
            #expect(try await find(["data"]) == [], "it is known to have other modes")
            #expect(try await find(["data", "own"]) == ["none"], "an unknown mode may be in any program")
            #expect(timesAsked(path) == 1)
            try write("second", to: path)
            for _ in 1...2 { #expect(try await find() == ["none"]) }
            #expect(try timesAsked(path) == 2 && answers().count == 1)

            try Data("{".utf8).write(to: URL(fileURLWithPath: answers()[0]))
            for _ in 1...2 { #expect(try await find() == ["none"]) }
            #expect(timesAsked(path) == 3)

            chmod(try answers()[0], 0o666)
            #expect(try await find() == ["none"])
            #expect(timesAsked(path) == 4, "anybody could have written it")

            _ = try await find(named: [path])
            #expect(timesAsked(path) == 5, "a named program may be made of other files, too")
        }
    }

    @Test func withoutAPlaceItIsAskedEachTime() async throws {
        try await withTemporaryFolder { folder in
            try Data().write(to: URL(fileURLWithPath: folder + "/fetchbench"))
            let cache = try AssetCache(named: folder, home: nil, temporaryDirectory: folder, user: geteuid())
            try write("first", to: folder + "/trial-raw")
            for _ in 1...2 {
                let programs = try await TrialPrograms.found(
                    named: [], beside: folder + "/fetchbench",
                    variables: TrialVariables(environment: [:], fixed: [:], libraryFolder: folder),
                    cache: DescriptionCache(in: cache.path, of: geteuid()))
                #expect(programs.executables.count == 1)
            }
            #expect(timesAsked(folder + "/trial-raw") == 2)
        }
    }
}
