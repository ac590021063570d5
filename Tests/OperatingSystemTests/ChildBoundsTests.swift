// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import OperatingSystem
import Testing

/// Children that write without end or leave others behind.
@Suite(.serialized) struct ChildBoundsTests {
    private func shell(_ script: String, limit: Duration = .seconds(100)) -> ChildLaunch {
        ChildLaunch(
            executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"], directory: "/",
            limit: limit, outputLimit: 100)
    }

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
    @Test func whatIsLeftBehindIsKilledAndNamed() async throws {
        let script = "setsid sh -c 'sleep 4242 & echo $!; wait' & sleep 4243 & echo $!; sleep 0.3"
        let end = try await shell(script).run()
        let processes = String(decoding: end.output, as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
        #expect(end.ending == .exited(0) && processes.count == 2)
        let left = try #require(end.leftBehind)
        #expect(left.count == 3 && Set(left.names) == ["sleep", "sh"] && left.resident > .kibibytes(256))
        #expect(!processes.contains(where: runs))
    }

    @Test func whatEndsByItselfIsNotLeftBehind() async throws {
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

    /// What prepares a run may start a server.
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

    /// What is kept may end or stop who keeps it, and the kernel may, where memory is short.
    @Test func withoutAKeeperAChildEndsAllTheSame() async throws {
        let end = try await shell("kill -9 $PPID; exec sleep 4246").run()
        #expect(end.ending == .signalled(Int(SIGKILL)))
    }

    @Test func aKeeperThatIsStoppedKeepsTheLimit() async throws {
        let end = try await shell("echo $$; kill -STOP $PPID; exec sleep 4247", limit: .milliseconds(500)).run()
        let process = Int32(String(decoding: end.output, as: UTF8.self).filter(\.isNumber)) ?? 0
        #expect(end.ending == .killedAtLimit && process > 0 && !runs(process))
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
