// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing

/// Real children, and how each of them ends.
struct ChildProcessTests {
    private func shell(_ script: String, limit: Duration = .seconds(300)) -> ChildProcess {
        ChildProcess(
            executable: "/bin/sh", arguments: ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "B": "2", "A": "1"],
            directory: "/", limit: limit)
    }

    @Test func whatItWritesAndItsStatusAreGiven() async throws {
        let (end, output) = try await shell("printf hello; exit 3").output(limitedTo: 100)
        #expect(end.ending == .exited(3))
        #expect(String(decoding: output, as: UTF8.self) == "hello")
        #expect(end.nanoseconds > 0 && end.spawnedNanoseconds > 0)
    }

    @Test func itHasTheEnvironmentTheNameAndTheFolderThatItIsGiven() async throws {
        var child = shell("pwd; printf '%s\\n' \"$0\"; env | sort")
        child.name = "another"
        child.arguments += ["zero"]
        let output = try await child.output(limitedTo: 1000).output
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["/", "zero"])
        #expect(
            Set(lines.dropFirst(2)).subtracting(["PWD=/", "OLDPWD=/", "SHLVL=0", "SHLVL=1", "_=/usr/bin/env"])
                == ["A=1", "B=2", "PATH=/usr/bin:/bin"])
    }

    @Test func aSignalIsToldFromAStatus() async throws {
        #expect(try await shell("kill -SEGV $$").output(limitedTo: 100).end.ending == .signalled(11))
    }

    @Test func whatTakesTooLongIsKilledWithAllThatItStarted() async throws {
        // The grandchild holds the output open: the end of the child alone would not end the reading.
        let child = shell("sleep 300 & echo $!; wait", limit: .milliseconds(300))
        let end = try await child.output(limitedTo: 100).end
        #expect(end.ending == .killedAtLimit)
        #expect(end.nanoseconds < 280_000_000_000)
    }

    @Test func whatWritesTooMuchIsEnded() async throws {
        let child = shell("while :; do echo too much; done")
        #expect(try await child.output(limitedTo: 1000).end.ending == .wroteTooMuch(limit: 1000))
    }

    @Test func whatIsNotThereNeverBegan() async throws {
        var child = shell("")
        child.executable = "/nowhere/program"
        let end = try await child.output(limitedTo: 100).end
        guard case .notStarted = end.ending else {
            Issue.record("\(end.ending)")
            return
        }
        #expect(end.nanoseconds == 0)
    }

    @Test func itReadsAFileAndComplainsIntoAnother() async throws {
        try await withTemporaryFolder { folder in
            try Data("asked".utf8).write(to: URL(fileURLWithPath: folder + "/in"))
            let (end, output) = try await shell("cat; echo why >&2").output(
                reading: folder + "/in", complainingTo: folder + "/err", limitedTo: 100)
            #expect(end.ending == .exited(0) && output == Array("asked".utf8))
            #expect(try String(contentsOfFile: folder + "/err", encoding: .utf8) == "why\n")
        }
    }

    @Test func itsLinesAreAnswered() async throws {
        try await withTemporaryFolder { folder in
            let child = shell("echo one; read answer; echo two; read answer || exit 7; exit 9")
            let end = try await child.conversation(complainingTo: folder + "/err") { line, process in
                #expect(process > 0)
                return line.hasPrefix("one") || line.hasPrefix("two")
            }
            #expect(end.ending == .exited(9))
        }
    }

    @Test func whileItsLinesAreLookedAtItsTimeStandsStill() async throws {
        try await withTemporaryFolder { folder in
            // Longer than a test process that runs all others keeps a task waiting.
            let child = shell("echo one; read answer; exit 4", limit: .seconds(150))
            let end = try await child.conversation(complainingTo: folder + "/err") { _, _ in
                try await Task.sleep(for: .seconds(155))
                return true
            }
            #expect(end.ending == .exited(4))
        }
    }
}
