// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// Program pages of a live process, read by itself, from outside, and by a script that shares no code.
@Suite(.serialized) struct ProgramPagesTests {
    @Test func allWaysToReadAgreeToThePage() throws {
        let child = try FixtureProcess(["program-pages"])
        var answers: Fixture.Answers = [:]
        repeat { answers = child.readAnswers(through: "round") } while answers["round"] != "3"
        var probe = try ProcessProbe(.pid(child.identifier))
        let found = try #require(try probe.programPages()).rawValue
        #expect(found == (try Self.sumOfSmaps(child.identifier)))
        #expect(found == (try answers.number("program-pages")))
        #expect(found == (try answers.number("snapshot")))
        #expect(found > 1 << 20 && found.isMultiple(of: 4096))
        // What no file backs is none of it, and no more is resident of files than there is.
        let snapshot = try probe.snapshot()
        #expect(try #require(snapshot.programPages) <= snapshot.resident - snapshot.anonymous)
    }

    @Test func itsEndIsSaid() throws {
        let child = try FixtureProcess(["hold", "4096"])
        _ = child.readAnswers(through: "anonymous")
        var probe = try ProcessProbe(.pid(child.identifier))
        child.kill()
        let error = #expect(throws: MemProbeError.self) { _ = try probe.programPages() }
        #expect(error?.code == .noSuchProcess)
    }

    @Test func aHiddenFileIsNil() throws {
        let proc = try FakeProc(files: Recording.linux6x18.files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.programPages() == nil)
        #expect(try probe.snapshot().programPages == nil)
    }

    /// Longer than the buffer: the file is read piece by piece, and no line is lost between two of them.
    @Test func aFileOfAnyLengthIsRead() throws {
        let mapping = """
            7f0000000000-7f0000001000 r-xp 00000000 fe:00 1 /usr/lib/a library with a name
            Rss:                   4 kB
            Anonymous:             0 kB

            """
        var files = Recording.linux6x18.files
        files["smaps"] = String(repeating: mapping, count: 2000)
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.programPages() == .kibibytes(8000))
        #expect(try probe.programPages() == .kibibytes(8000), "a second reading begins anew")
    }

    private static func sumOfSmaps(_ process: pid_t) throws -> Int {
        let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("scripts/program-pages.py")
        let python = Process()
        let output = Pipe()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", script.path, "\(process)"]
        python.standardOutput = output
        try python.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        python.waitUntilExit()
        return try #require(text.split(separator: " ").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) })
    }
}
