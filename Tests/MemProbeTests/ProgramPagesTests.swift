// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import TestSupport
import Testing

/// Program pages of a live process, read by itself, from outside, and by a script that shares no code.
@Suite(.serialized, .ownThreads) struct ProgramPagesTests {
    @Test func allWaysToReadAgreeToThePage() async throws {
        let child = try FixtureProcess(["program-pages"])
        var answers: Fixture.Answers = [:]
        repeat { answers = child.readAnswers(through: "round") } while answers["round"] != "3"
        var probe = try ProcessProbe(.pid(child.identifier))
        let found = try #require(try probe.programPages()).rawValue
        #expect(found == (try answers.number("program-pages")))
        #expect(found == (try answers.number("snapshot")))
        #expect(found > 1 << 20 && found.isMultiple(of: 4096))
        // What no file backs is none of it, and no more is resident of files than there is.
        let snapshot = try probe.snapshot()
        #expect(try #require(snapshot.programPages) <= snapshot.resident - snapshot.anonymous)
        // The kernel may take pages back while the script runs.
        let (before, sum, after) = try await undisturbed { (_) -> (Int?, Int, Int?) in
            var probe = try ProcessProbe(.pid(child.identifier))
            let before = try probe.programPages()?.rawValue
            let sum = try Self.sumOfSmaps(child.identifier)
            return (before, sum, try probe.programPages()?.rawValue)
        } if: {
            $0.0 == $0.2
        }
        #expect(before == sum && after == sum)
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
        let pages = 2000
        var files = Recording.linux6x18.files
        files["maps"] = (0..<pages).map { page in
            let (start, end) = (String(page << 12, radix: 16), String((page + 1) << 12, radix: 16))
            return "\(start)-\(end) r-xp 00000000 fe:00 1 /usr/lib/a library with a name\n"
        }.joined()
        // Eight bytes a page, the highest one first set in bits 63 and 61.
        files["pagemap"] = String(repeating: "\0\0\0\0\0\0\u{a0}", count: pages)
        let proc = try FakeProc(files: files)
        var probe = try ProcessProbe(.current, procRoot: proc.root)
        #expect(try probe.programPages() == .kibibytes(4 * pages))
        #expect(try probe.programPages() == .kibibytes(4 * pages), "a second reading begins anew")
    }

    private static func sumOfSmaps(_ process: pid_t) throws -> Int {
        let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("scripts/program-pages.py")
        let text = try TestProcess.run("/usr/bin/python3", [script.path, "\(process)"]).text
        return try #require(text.split(separator: " ").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) })
    }
}
