// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

/// Processes that are started for a test.
struct ChildTests {
    private func child(_ script: String, limit: Int = 60, output: String = "/dev/null") -> ChildProcess {
        ChildProcess(
            executable: "/bin/sh", arguments: ["sh", "-c", script], environment: [:], output: output, limit: limit)
    }

    @Test func howItEndedIsKnown() async {
        #expect(await child("exit 0").run() == .exited(0))
        #expect(await child("exit 3").run() == .exited(3))
        #expect(await child("kill -SEGV $$").run() == .killed(signal: SIGSEGV))
        #expect(ChildEnding.exited(1).fault == nil, "a run of tests with issues")
        #expect(ChildEnding.killed(signal: SIGSEGV).fault?.contains("Segmentation fault") == true)
    }

    @Test func oneThatHangsIsKilledWithWhatItStarted() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(await child("sleep 600 & echo $!; wait", limit: 1, output: file).run() == .timedOut(seconds: 1))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let sleeper = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        var isThere = true
        for _ in 0..<1000 where isThere {
            // A killed process may be a zombie for a while: it has no memory.
            isThere = (try? ProcessProbe(.pid(sleeper)).target) != nil && !Self.isZombie(sleeper)
            usleep(10_000)
        }
        #expect(!isThere)
    }

    private static func isZombie(_ process: Int32) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") Z ")
    }

    @Test func aCancelledTestTakesItsChildAlong() async {
        let task = Task { await child("sleep 600").run() }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func oneThatCannotBeStartedSaysWhy() async {
        var process = child("")
        process.executable = "/nowhere/tests"
        guard case .notStarted(let reason) = await process.run() else {
            Issue.record("it was started")
            return
        }
        #expect(reason.contains("/nowhere/tests") && reason.contains("No such file"))
    }

    @Test func aRoleIsOfTheParentsOwnChildAlone() {
        guard case .parent = ChildRole(variable: nil, parent: 7) else { return #expect(Bool(false), "no variable") }
        guard case .parent = ChildRole(variable: "6:/tmp", parent: 7) else { return #expect(Bool(false), "inherited") }
        guard case .lost = ChildRole(variable: "7:/nowhere", parent: 7) else {
            return #expect(Bool(false), "a child without a request must not run tests, nor start children")
        }
    }
}
