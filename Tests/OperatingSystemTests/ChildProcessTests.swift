// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import OperatingSystem
import Synchronization
import Testing
import Texts

func shell(_ script: String, limit: Duration = .seconds(300), outputLimit: Int? = 1000) -> ChildLaunch {
    ChildLaunch(
        executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin", "B": "2", "A": "1"],
        directory: "/", limit: limit, outputLimit: outputLimit)
}

/// Real children, and how each of them ends.
struct ChildProcessTests {
    @Test func outputAndStatusAreReturned() async throws {
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

    @Test func slowCommandsAreKilledWithTheirChildren() async throws {
        // The grandchild holds the output open: the end of the child alone would not end the reading.
        let child = shell("sleep 300 & echo $!; wait", limit: .milliseconds(300))
        let end = try await child.run()
        #expect(end.ending == .killedAtLimit)
        #expect(end.nanoseconds < 280_000_000_000)
    }

    @Test func childrenThatWriteTooMuchAreKilled() async throws {
        let child = shell("while :; do echo too much; done")
        #expect(try await child.run().ending == .wroteTooMuch(limit: 1000))
    }

    @Test func missingProgramsNeverStart() async throws {
        var child = shell("")
        child.executable = "/nowhere/program"
        let end = try await child.run()
        let hasNotBegun = if case .notStarted = end.ending { true } else { false }
        #expect(hasNotBegun, "\(end.ending)")
        #expect(end.nanoseconds == 0)
    }

    @Test func itReadsWhatItIsGivenAndItsComplaintsAreKept() async throws {
        var child = shell("cat; echo why >&2")
        child.input = .bytes(Array("asked".utf8))
        let end = try await child.run()
        #expect(end.ending == .exited(0) && end.output == Array("asked".utf8))
        #expect(end.complaints.text == "why\n" && end.lastWords() == "why")
    }

    /// A request may contain secrets, so it is never in a file.
    @Test func inputIsInNoFolder() async throws {
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

    @Test func handlersMayThrow() async throws {
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

/// Children that write without end or leave others behind.
@Suite(.serialized) struct ChildBoundsTests {
    /// Whether a process runs: a zombie has no memory.
    private func runs(_ process: Int32) -> Bool {
        guard let stat = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
        return !String(decoding: stat, as: UTF8.self).contains(") Z ")
    }

    @Test func ofStandardErrorTheEndIsKept() async throws {
        let lines = "i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done"
        let complaints = try await shell(lines).run().complaints
        #expect(complaints.isCut && complaints.bytes.count == 65_536)
        #expect(complaints.text.hasPrefix("line ") && complaints.text.hasSuffix("\nline 19999\n"))
    }

    /// A line that is cut may begin with half a secret, which is not found any more.
    @Test func aLineThatWasCutIsNotQuotedFromItsCut() async throws {
        let secret = "s3cr3t-" + String(repeating: "x", count: 200)
        for count in [65_400, 65_500, 65_600] {
            let script = "printf '%s' \(secret) >&2; head -c \(count) /dev/zero | tr '\\0' y >&2; exit 1"
            let said = try await shell(script).run().lastWords { text in
                text.replacing(secret, with: "***")
            }
            #expect(!said.contains("xx"), "\(count)")
        }
    }

    /// Even one in a session of its own, whose parent has ended.
    @Test func leftProcessesAreKilledAndNamed() async throws {
        let script = "setsid sh -c 'sleep 4242 & echo $!; wait' & sleep 4243 & echo $!; sleep 0.3"
        let end = try await shell(script).run()
        let processes = String(decoding: end.output, as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
        #expect(end.ending == .exited(0) && processes.count == 2)
        let left = try #require(end.leftBehind)
        #expect(left.count == 3 && Set(left.names) == ["sleep", "sh"] && left.resident > .kibibytes(256))
        #expect(!processes.contains(where: runs))
    }

    @Test func processesThatEndByThemselvesAreNotLeftBehind() async throws {
        // A busy machine may give it no turn before its time is over.
        for attempt in 1...10 {
            let end = try await shell("(sleep 0.05 &); exit 0").run()
            #expect(end.ending == .exited(0))
            if end.leftBehind == nil { return }
            #expect(attempt < 10, "always left behind")
        }
    }

    @Test func atItsLimitAllOfItIsKilled() async throws {
        let end = try await shell("setsid sleep 4244 & echo $!; wait", limit: .seconds(3)).run()
        let process = Int32(String(decoding: end.output, as: UTF8.self).filter(\.isNumber)) ?? 0
        #expect(end.ending == .killedAtLimit && process > 0 && !runs(process))
    }

    /// A preparation may start a server.
    @Test func oneThatMayLeavesOthersRunning() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var child = shell("setsid sleep 4245 & echo $! >\(file)")
        child.leavesOthers = true
        let end = try await child.run()
        #expect(end.ending == .exited(0) && end.leftBehind == nil)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let process = try #require(Int32(text.filter(\.isNumber)))
        #expect(runs(process))
        kill(process, SIGKILL)
    }

    /// A child can kill or stop its keeper, and so can the kernel if memory is short.
    @Test func withoutAKeeperAChildEndsAllTheSame() async throws {
        let end = try await shell("kill -9 $PPID; exec sleep 4246").run()
        #expect(end.ending == .signalled(Int(SIGKILL)))
    }

    @Test func aKeeperThatIsStoppedKeepsTheLimit() async throws {
        let end = try await shell("echo $$; kill -STOP $PPID; exec sleep 4247", limit: .seconds(4)).run()
        let process = try #require(Int32(String(decoding: end.output, as: UTF8.self).filter(\.isNumber)))
        #expect(end.ending == .killedAtLimit && !runs(process))
    }

    /// A line that does not end costs no more than its beginning, and nothing of a secret behind that is quoted.
    @Test func ofALineWithoutEndTheBeginningIsRedacted() async throws {
        var longest = 0
        let script = "head -c 60000 /dev/zero | tr '\\0' a >&2; printf secret >&2; exit 1"
        let said = try await shell(script).run().lastWords { text in
            longest = max(longest, text.utf8.count)
            return text
        }
        #expect(longest <= 4096 && said.utf8.count == 400)
    }
}

/// The reason for a crash is kept: recorded standard error of Swift 6.3.1 and glibc 2.36.
@Suite struct LastWordsTests {
    /// The output of the runtime's backtracer, without most registers and images.
    private static func report(_ signal: Int, _ crash: String) -> String {
        """

        *** Signal \(signal): Backtracing from 0x7f63026f9361... done ***

        *** Program crashed: \(crash) at 0x00007f63026f9361 ***

        Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

        Thread 0 "fetchbench" crashed:

          0  0x00007f63026f9361 _assertionFailure(_:_:file:line:flags:) + 225 in libswiftCore.so
        ...

        Registers:

        rax 0x0000000000000000  0
        r15 0x0000000000000000  0

        Images (2 omitted):

        0x00007f6302400000–0x00007f63029d2d40 b521f25f libswiftCore.so /opt/swift/usr/lib/swift/linux/libswiftCore.so

        Backtrace took 0.04s


        """
    }

    @Test(arguments: [
        ("Swift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n", ""),
        (
            "Swift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n",
            report(4, "Illegal instruction")
        ),
        ("Fatal error: Duplicate values for key: '1': file NativeDictionary.swift, line 792\n", ""),
        (
            "Fatal error: Duplicate values for key: '1': file /home/a/b/NativeDictionary.swift, line 792\n",
            report(4, "x")
        ),
        ("/home/a/b/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\nmore\n", ""),
        ("warming up\nSwift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n", ""),
    ])
    func aTrapOfSwiftIsItsMessageWithFileAndLine(said: String, report: String) {
        #expect(
            LastWords.reason(in: said + report, limit: 400)
                == "Fatal error: Duplicate values for key: '1': file NativeDictionary.swift, line 792")
    }

    @Test func aTrapWithoutAPlaceIsItsMessage() {
        #expect(LastWords.reason(in: "Fatal error\n", limit: 400) == "Fatal error")
        #expect(LastWords.reason(in: "a: Fatal error: no\n", limit: 400) == "Fatal error: no")
    }

    @Test(arguments: [
        ("munmap_chunk(): invalid pointer\n" + report(6, "Aborted"), "munmap_chunk(): invalid pointer"),
        (report(6, "Aborted") + "curl: (56) reset by peer\n", "curl: (56) reset by peer"),
        (report(11, "Bad pointer dereference"), "Program crashed: Bad pointer dereference"),
        (
            "\n💣 Program crashed: Illegal instruction at 0x0000561\n\nThread 0 crashed:\n",
            "Program crashed: Illegal instruction"
        ),
        ("note: one\ncurl: (7) Failed to connect\n\n  \n", "curl: (7) Failed to connect"),
        ("", ""), ("\n \n", ""),
    ])
    func otherReasonsAreTheLastLineBeforeTheBacktrace(text: String, reason: String) {
        #expect(LastWords.reason(in: text, limit: 400) == reason)
        #expect(!LastWords.reason(in: text, limit: 400).contains("Backtrace took"))
    }

    @Test func aReasonIsCutAtItsEnd() {
        #expect(
            LastWords.reason(in: "a/b.swift:1: Fatal error: \(String(repeating: "x", count: 900))", limit: 20)
                == "Fatal error: xxxxxxx")
    }
}
