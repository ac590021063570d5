// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs
import Testing

/// The answer to `--describe` comes from somebody else's program: each mistake in it is named.
struct ProgramDescriptionTests {
    private static let sound = """
        {"protocols": [1, 7], "allocator": {"configuration": {}, "name": "glibc", "version": "2.36"},
        "modes": [{"name": "none", "summary": "", "schemes": ["http"], "abilities": [], "yields_body": false,
        "hashes_on_the_way": false}, {"name": "own", "summary": "", "schemes": ["http"], "abilities": [],
        "yields_body": true, "hashes_on_the_way": false}], "render_models": [{"name": "none", "summary": "",
        "need": "image", "environment": {}, "needs_body": false, "takes_pieces": false}],
        "scenarios": [{"name": "revisit", "summary": "", "usual_count": 10, "variants": [], "needs": {"abilities": [],
        "body": false, "rendering": "none", "set": false, "origin": false, "loader": false, "concurrency": false},
        "question": "?", "figures": [{"name": "cache_hits", "unit": "ratio", "better": "higher", "summary": "",
        "heading": "hits", "style": "count", "decides": {"smallest": 1}, "suspect": {"below": 1, "words": "no hit"}},
        {"name": "cache_misses", "unit": "ratio", "summary": "", "heading": "fetches", "style": "count"}]}]}
        """

    private func reason(_ text: String) -> String? {
        guard case .failure(let error) = Result(catching: { try ProgramDescription(checking: Array(text.utf8)) })
        else { return nil }
        return "\(error)"
    }

    @Test func theSoundOneIsTaken() { #expect(reason(Self.sound) == nil) }

    @Test(arguments: [
        ("[1, 7]", "[98, 99]", "supports versions 98 to 99 of the trial protocol, and fetchbench 1 to "),
        ("[1, 7]", "[2, 1]", "protocols is [2, 1], expected"), ("[1, 7]", "[-5, 1]", "protocols is [-5, 1]"),
        (#""protocols": [1, 7]"#, #""protocols": [0, 0], "words": "of long ago""#, "supports versions 0 to 0"),
        (#""yields_body": true"#, #""yields_body": null"#, "modes[1].yields_body "),
        (#""yields_body": true"#, #""yields_body": 1"#, "modes[1].yields_body "),
        (#""environment": {}"#, #""environment": {"A": "x\u0000y"}"#, "environment.A contains NUL"),
        (#""environment": {}"#, #""environment": {"A=": "x"}"#, "is an invalid variable name"),
        (#""allocator""#, #""allotment""#, "allocator is missing"),
        (#""name": "own""#, #""name": "none""#, "two entries for mode none"),
        (#""name": "own""#, #""name": "all""#, "the name of mode 'all' is invalid"),
        (#""name": "own""#, #""name": "a,b""#, "the name of mode 'a,b' is invalid"),
        (
            #""name": "none", "summary": "", "schemes""#, #""name": "no", "summary": "", "schemes""#,
            "mode none is missing"
        ),
        (#""name": "revisit""#, #""name": "none""#, "the name of scenario 'none' is invalid"),
        (#""usual_count": 10"#, #""usual_count": 0"#, "scenarios[0].usual_count"),
        (#""cache_misses""#, #""cache_hits""#, "declared twice"),
        (#""cache_misses", "unit": "ratio""#, #""cache_misses", "unit": "MB""#, "bytes, ns, ratio"),
        (#""cache_misses", "unit": "ratio""#, #""cache_misses", "unit": "bytes""#, "_bytes at its end"),
        (#""cache_misses""#, #""copies_held_ratio""#, "a metric that every trial has"),
        (#""cache_misses""#, #""Cache misses""#, "small letters"),
        (#"{"smallest": 1}"#, #"{"smallest": 0}"#, "decides"), (#""below": 1, "#, "", "neither above nor below"),
    ])
    func aMistakeIsNamed(old: String, new: String, words: String) throws {
        try #require(Self.sound.contains(old))
        let said = reason(Self.sound.replacing(old, with: new))
        #expect(said?.contains(words) == true, "\(said ?? "taken")")
    }

    @Test(arguments: [
        ("", "not a trial program"), ("\u{FEFF}" + sound, "at byte 0"), (sound + sound, "something follows"),
        ("Loading plug-ins ...\n" + sound, "it wrote 'Loading plug-ins"),
    ])
    func oneDocumentIsExpected(text: String, words: String) {
        let said = reason(text)
        #expect(said?.contains(words) == true, "\(said ?? "taken")")
    }

    /// Programs that end in another way than by an answer, and files that are no programs.
    @Test(arguments: [
        ("#!/bin/sh\necho 'no licence' >&2; exit 3\n", mode_t(0o755), "exits with status 3: no licence"),
        ("#!/bin/sh\nkill -SEGV $$\n", 0o755, "--describe crashed: signal 11"),
        ("#!/bin/sh\nyes | head -c 9000000\n", 0o755, "more than 1048576 bytes"),
        ("#!/bin/sh\nexit 0\n", 0o644, "cannot be executed"), ("", 0o755, "could not be started"),
        ("#!/nowhere/python3 -s\n", 0o755, "its interpreter /nowhere/python3 does not exist"),
    ])
    func aProgramThatIsNoneIsRefused(text: String, mode: mode_t, words: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/program"
            try TestProcess.write(program: text, to: path, mode: mode)
            await expectRefusal(of: path, words)
        }
    }

    @Test func onlyAFileIsAProgram() async throws {
        try await withTemporaryFolder { folder in
            try #require(mkfifo(folder + "/pipe", 0o755) == 0)
            for (path, words) in [
                (folder + "/pipe", "named pipe"), ("/dev/null", "device"), (folder, "it is a folder"),
                (folder + "/nowhere", "it does not exist"),
            ] { await expectRefusal(of: path, words) }
        }
    }

    @Test func modesOfTwoProgramsAreToldInOneLineAndThoseOfOneFileInNone() throws {
        try withTemporaryFolder { folder in
            for name in ["one", "two"] { try Data(name.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "one")
            func told(_ names: String...) -> [String] {
                let description = TrialPrograms.fake.executables[0].description
                let all = names.map { TrialExecutable(path: "\(folder)/\($0)", description: description) }
                return TrialPrograms(executables: all).doubledModes(ofNamed: 1)
            }
            #expect(told("one", "link").isEmpty && told("one", "two").count == 1)
        }
    }

    /// The harness repeats the modes of our programs, for the error where one is not built.
    @Test func theModesOfOurProgramsAreKnown() async throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = try await TrialPrograms.found(
            named: [], beside: folder, variables: TrialVariables(environment: [:], fixed: [:], libraryFolder: "/"))
        #expect(programs.executables.count == TrialPrograms.own.count, "missing: \(programs.missing)")
        for executable in programs.executables {
            let modes = TrialPrograms.own.first { executable.path.hasSuffix("/" + $0.key) }?.value
            #expect(executable.description.modes.map(\.name).filter { $0 != "none" } == modes)
        }
    }

    private func expectRefusal(of path: String, _ words: String) async {
        let variables = TrialVariables(environment: [:], fixed: [:], libraryFolder: "/")
        await #expect {
            try await TrialPrograms.found(named: [path], beside: "/nowhere/fetchbench", variables: variables)
        } throws: { "\($0)".contains(words) && "\($0)".contains(path) }
    }
}
