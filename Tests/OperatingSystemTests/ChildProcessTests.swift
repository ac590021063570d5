// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
import Synchronization
import Testing

/// Real children, and how each of them ends.
struct ChildProcessTests {
    private func shell(_ script: String, limit: Duration = .seconds(300)) -> ChildLaunch {
        ChildLaunch(
            executable: "/bin/sh", arguments: ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "B": "2", "A": "1"],
            directory: "/", limit: limit, outputLimit: 1000)
    }

    @Test func whatItWritesAndItsStatusAreGiven() async throws {
        let end = try await shell("printf hello; exit 3").run()
        #expect(end.ending == .exited(3))
        #expect(String(decoding: end.output, as: UTF8.self) == "hello")
        #expect(end.nanoseconds > 0 && (end.spawnedNanoseconds ?? 0) > 0)
    }

    @Test func itHasTheEnvironmentTheNameAndTheFolderThatItIsGiven() async throws {
        var child = shell("pwd; printf '%s\\n' \"$0\"; env | sort")
        child.arguments[0] = "another"
        child.arguments += ["zero"]
        let output = try await child.run().output
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["/", "zero"])
        #expect(
            Set(lines.dropFirst(2)).subtracting(["PWD=/", "OLDPWD=/", "SHLVL=0", "SHLVL=1", "_=/usr/bin/env"])
                == ["A=1", "B=2", "PATH=/usr/bin:/bin"])
    }

    @Test func aSignalIsToldFromAStatus() async throws {
        #expect(try await shell("kill -SEGV $$").run().ending == .signalled(11))
    }

    @Test func whatTakesTooLongIsKilledWithAllThatItStarted() async throws {
        // The grandchild holds the output open: the end of the child alone would not end the reading.
        let child = shell("sleep 300 & echo $!; wait", limit: .milliseconds(300))
        let end = try await child.run()
        #expect(end.ending == .killedAtLimit)
        #expect(end.nanoseconds < 280_000_000_000)
    }

    @Test func whatWritesTooMuchIsEnded() async throws {
        let child = shell("while :; do echo too much; done")
        #expect(try await child.run().ending == .wroteTooMuch(limit: 1000))
    }

    @Test func whatIsNotThereNeverBegan() async throws {
        var child = shell("")
        child.executable = "/nowhere/program"
        let end = try await child.run()
        guard case .notStarted = end.ending else {
            Issue.record("\(end.ending)")
            return
        }
        #expect(end.nanoseconds == 0)
    }

    @Test func itReadsWhatItIsGivenAndItsComplaintsAreKept() async throws {
        var child = shell("cat; echo why >&2")
        child.input = .bytes(Array("asked".utf8))
        let end = try await child.run()
        #expect(end.ending == .exited(0) && end.output == Array("asked".utf8))
        #expect(end.complaints.text == "why\n" && end.lastWords() == "why")
    }

    /// What it is asked may hold secrets: there is no file of it, at any time.
    @Test func whatItReadsIsInNoFolder() async throws {
        var child = shell("readlink /proc/self/fd/0")
        child.input = .bytes(Array("asked".utf8))
        let name = String(decoding: try await child.run().output, as: UTF8.self)
        #expect(!name.isEmpty && !FileManager.default.fileExists(atPath: name.filter { $0 != "\n" }))
    }

    /// A byte that is not UTF-8 takes nothing of the rest away.
    @Test func complaintsThatAreNoTextAreRepaired() async throws {
        let end = try await shell("printf 'caf\\351: broken\\n' >&2; exit 1").run()
        #expect(end.lastWords() == "caf\u{FFFD}: broken")
    }

    @Test func itsLinesAreAnswered() async throws {
        let child = shell("echo one; read answer; echo two; read answer || exit 7; exit 9")
        let lines = Mutex<[String]>([])
        let end = try await child.converse { line, process in
            #expect(process > 0)
            lines.withLock { $0.append(line) }
            return true
        }
        #expect(end.ending == .exited(9))
        #expect(lines.withLock { $0 } == ["one", "two"])
    }

    @Test func whoAnswersMayThrow() async throws {
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            _ = try await shell("echo one; sleep 300").converse { _, _ in throw Refused() }
        }
    }

    @Test func whileItsLinesAreLookedAtItsTimeStandsStill() async throws {
        // The limit is longer than the child needs on a busy machine, and its line is looked at for longer than that.
        let child = shell("echo one; read answer; exit 4", limit: .seconds(4))
        let end = try await child.converse { _, _ in
            try await Task.sleep(for: .seconds(5))
            return true
        }
        #expect(end.ending == .exited(4))
    }

    /// The other way round: an answer does not make it endless.
    @Test func betweenItsLinesItsTimeGoesOn() async throws {
        let child = shell("echo one; read answer; sleep 300", limit: .milliseconds(300))
        let end = try await child.converse { _, _ in true }
        #expect(end.ending == .killedAtLimit)
    }

    @Test func aCancelledTaskTakesItsChildAlong() async throws {
        let task = Task { try await shell("sleep 300").run().ending }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
